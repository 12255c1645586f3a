// A part of the page that changes: when the service says so, the part is asked for again.
const part = document.getElementById("live");
if (part?.dataset.events) {
  const events = new EventSource(part.dataset.events);
  let busy = false, again = false;
  const renew = async () => {
    if (busy) { again = true; return; }
    busy = true;
    do {
      again = false;
      const answer = await fetch(part.dataset.part);
      if (answer.ok) part.innerHTML = await answer.text();
    } while (again);
    busy = false;
  };
  events.addEventListener("run", (event) => {
    renew();
    if (!["waiting", "playing"].includes(JSON.parse(event.data).state)) events.close();
  });
}
