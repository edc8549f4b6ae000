// A phone that sleeps stops the clock and the connection; only pages with TLS may ask it not to.
let asked; // for a lock, of which there is one at a time

export async function stayAwake(wanted) {
  if (!wanted) {
    const lock = asked;
    asked = undefined;
    (await lock)?.release();
  } else if (!asked && !document.hidden) {
    const mine = (asked = navigator.wakeLock?.request("screen").catch(() => undefined));
    const forget = () => asked === mine && (asked = undefined);
    const lock = await mine;
    if (lock) lock.addEventListener("release", forget);
    else forget();
  }
}
