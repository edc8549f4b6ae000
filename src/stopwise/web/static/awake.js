// A phone that sleeps stops the clock and the connection; only pages with TLS may ask it not to.
let lock;

export async function stayAwake(wanted) {
  if (!wanted) {
    lock?.release();
    lock = undefined;
  } else if (!lock && !document.hidden) {
    lock = await navigator.wakeLock?.request("screen").catch(() => undefined);
    lock?.addEventListener("release", () => (lock = undefined));
  }
}
