// A foot pedal, a presenter or a keyboard: forward is the main button of the page, back is the clock.
// Where a tap says success or failure, either starts the clock, and then forward is success, back is
// failure. Digits choose steps and levels. A pedal works also from within a field: nobody types these
// keys, but on a slider they would change the score.
const BOUNCE = 300; // a foot does not press twice within so many milliseconds
let last = -BOUNCE;

function shown(...selectors) {
  const found = selectors.flatMap((selector) => [...document.querySelectorAll(selector)]);
  return found.find((one) => one.offsetParent !== null && !one.disabled && !one.closest("[inert]"));
}

function meant(key, typing) {
  const two = shown(".success") && ["PageDown", "PageUp"].indexOf(key);
  if (two >= 0) return shown("#timer.primary") ?? shown([".success", ".failure"][two]);
  if (key === "PageDown") return shown("#take", "#checked", "#ask", "#save");
  if (key === "PageUp") return shown("#timer");
  return typing || !/^[1-9]$/.test(key) ? undefined : document.querySelectorAll(":is(#rubric, #answers) .choice")[key - 1];
}

addEventListener("keydown", (event) => {
  const pedal = event.key.startsWith("Page");
  if (pedal) event.preventDefault();
  if (event.repeat || event.timeStamp - last < BOUNCE) return;
  const button = meant(event.key, event.target.matches("input, textarea, select"));
  if (!button) return;
  if (pedal) last = event.timeStamp;
  button.click();
});
