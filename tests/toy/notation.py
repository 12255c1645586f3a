"""The toy has no JSON."""
