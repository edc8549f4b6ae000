// Lets the operator's page open without a connection: the last one that the server gave. What the
// server answers always goes first; requests to the API are never kept.
const KEPT = "operate";

async function newestOrKept(request) {
  const cache = await caches.open(KEPT);
  try {
    const answer = await fetch(request, { signal: AbortSignal.timeout(5000) });
    if (answer.ok && !answer.redirected) await cache.put(request.url, answer.clone());
    // Signed out, or for another role: then what was kept is not for this browser any more.
    else if (answer.status < 500 && request.mode === "navigate") await cache.delete(request.url);
    return answer;
  } catch (error) {
    const found = await cache.match(request.url);
    if (found) return found;
    throw error;
  }
}

self.addEventListener("install", (event) => {
  self.skipWaiting();
  const pages = ["/operate", "/static/style.css", "/static/icon.svg"];
  const scripts = [
    ...["api", "awake", "checks", "chips", "film", "keeping", "operate"],
    ...["pedal", "queue", "robot", "rubric", "time", "timer", "wording"],
  ];
  const all = [...pages, ...scripts.map((name) => `/static/${name}.js`)];
  event.waitUntil(caches.open(KEPT).then((cache) => cache.addAll(all)));
});
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const { pathname } = new URL(event.request.url);
  const ours = pathname === "/operate" || pathname.startsWith("/static/");
  if (ours && event.request.method === "GET") event.respondWith(newestOrKept(event.request));
});
