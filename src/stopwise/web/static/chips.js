// One of several short answers, or none.
export function chooser(place, options, changed, chosen = null) {
  const chips = options.map((option) => {
    const chip = document.createElement("button");
    chip.type = "button";
    chip.className = "chip";
    chip.textContent = option;
    chip.setAttribute("aria-pressed", String(option === chosen));
    chip.addEventListener("click", () => {
      const now = chip.getAttribute("aria-pressed") !== "true";
      for (const other of chips) other.setAttribute("aria-pressed", "false");
      chip.setAttribute("aria-pressed", String(now));
      changed();
    });
    return chip;
  });
  place.replaceChildren(...chips);
  place.hidden = !options.length;
  return { chosen: () => place.querySelector('[aria-pressed="true"]')?.textContent ?? null };
}
