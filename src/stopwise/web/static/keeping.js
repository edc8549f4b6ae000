// What must survive a reload, a closed tab and a dead battery. All tabs of one study share it, and
// each value is read again before it is changed, so that no tab writes over what another one did.

const memory = new Map(); // where the browser keeps nothing, or is full
export let forgetful = false;

export function read(name) {
  try {
    return memory.get(name) ?? localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function write(name, text) {
  try {
    localStorage.setItem(name, text);
    memory.delete(name);
  } catch {
    memory.set(name, text);
    forgetful = true;
  }
}

export function remove(name) {
  memory.delete(name);
  try {
    localStorage.removeItem(name);
  } catch {
    // then it was never kept
  }
}

export function namesUnder(prefix) {
  let kept = [];
  try {
    kept = Object.keys(localStorage);
  } catch {
    // as above
  }
  return [...new Set([...kept, ...memory.keys()])].filter((name) => name.startsWith(prefix)).sort();
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
