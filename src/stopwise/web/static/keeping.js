// What must survive a reload, a closed tab and a dead battery. All tabs of one study share it, and
// each value is read again before it is changed, so that no tab writes over what another one did.

export const read = (name) => localStorage.getItem(name);
export const write = (name, text) => localStorage.setItem(name, text);
export const remove = (name) => localStorage.removeItem(name);
export const namesUnder = (prefix) => Object.keys(localStorage).filter((name) => name.startsWith(prefix)).sort();

// The state of a page: one object, also changed by other tabs; then ``changed`` is called.
export function sharedState(place, changed) {
  const kept = JSON.parse(read(place) ?? "{}");
  const keep = (changes) => {
    Object.assign(kept, JSON.parse(read(place) ?? "{}"), changes);
    write(place, JSON.stringify(kept));
  };
  addEventListener("storage", (event) => {
    if (event.key !== place || event.newValue === null) return;
    const before = JSON.stringify(kept);
    Object.assign(kept, JSON.parse(event.newValue));
    if (JSON.stringify(kept) !== before) changed();
  });
  return [kept, keep];
}
