// A foot pedal or a presenter: forward is the main button of the page, back is the clock. Also from
// within a field: nobody types these keys, but on a slider they would change the score.
addEventListener("keydown", (event) => {
  const pressed = { PageDown: ["take", "checked", "save", "next", "ask"], PageUp: ["timer"] }[event.key] ?? [];
  const button = pressed.map((id) => document.getElementById(id)).find((one) => one.offsetParent !== null && !one.disabled);
  if (pressed.length) event.preventDefault();
  if (!event.repeat) button?.click();
});
