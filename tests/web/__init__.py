"""The web app: routes, security, faults."""
