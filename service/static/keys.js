// Arrow keys step through a match.
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.matches("input, textarea, select")) return;
  const name = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
  const link = name && document.querySelector(`a[rel="${name}"]`);
  if (link) link.click();
});
