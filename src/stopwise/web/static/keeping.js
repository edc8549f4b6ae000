// What must survive a reload, a closed tab and a dead battery. All tabs of one study share it, and
// each value is read again before it is changed, so that no tab writes over what another one did.

const memory = new Map(); // what the browser has no room for
export const forgetful = () => memory.size > 0;

export const read = (name) => memory.get(name) ?? localStorage.getItem(name);

export function write(name, text) {
  memory.delete(name);
  try {
    localStorage.setItem(name, text);
  } catch {
    memory.set(name, text);
  }
}

export function remove(name) {
  memory.delete(name);
  localStorage.removeItem(name);
}

export function namesUnder(prefix) {
  const names = new Set([...Object.keys(localStorage), ...memory.keys()]);
  return [...names].filter((name) => name.startsWith(prefix)).sort();
}

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
