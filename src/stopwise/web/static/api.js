// Requests to this study's API. A failure that may pass (no network, a busy server) is told apart
// from an answer of the server, which will not change by asking again.

const csrf = document.querySelector('meta[name="csrf"]')?.content ?? "";

// ``told`` is what the server says is wrong with it, if it was reached.
export class NoConnection extends Error {
  constructor(message, told = "") {
    super(message);
    this.told = told;
  }
}

export class Refused extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

// body: what is sent as JSON, or a file as it is.
export async function call(method, path, body) {
  const headers = { "X-CSRF-Token": csrf };
  const file = body instanceof Blob;
  if (body !== undefined && !file) headers["Content-Type"] = "application/json";
  let response, text;
  try {
    response = await fetch(path, {
      method,
      headers,
      body: body === undefined || file ? body : JSON.stringify(body),
      signal: AbortSignal.timeout(file ? 600000 : 15000),
    });
    text = await response.text(); // half an answer is none
  } catch {
    throw new NoConnection("no connection");
  }
  const content = parsed(text);
  if (response.status >= 500 || response.status === 429) {
    throw new NoConnection("server is busy", content.detail);
  }
  if (!response.ok) throw new Refused(response.status, content.detail ?? response.statusText);
  return content;
}

// A server in between may answer with a page of its own.
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

// The random part of a key; crypto.randomUUID is missing on pages without TLS.
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Calls back after every change of the journal, tells whether the stream is alive, and when the link
// of this page was revoked or has expired.
export function listen(changed, connection, ended) {
  let source;
  const open = () => {
    source = new EventSource("/api/events");
    source.addEventListener("open", () => connection(true));
    source.addEventListener("changed", (event) => changed(JSON.parse(event.data).seq));
    source.addEventListener("error", () => {
      connection(false);
      if (source.readyState !== EventSource.CLOSED) return;
      call("GET", "/api/me").catch((error) => error.status === 401 && ended());
      setTimeout(open, 3000);
    });
  };
  open();
  addEventListener("pagehide", () => source.close());
}
