// What the operator did, kept in the browser until the server has it. Sent in order, one at a time;
// each carries a key, so that sending it again, also from another tab, changes nothing. Each has a
// place of its own in the browser: tabs that add at the same time lose nothing.
import { call, newKey, NoConnection } from "./api.js";
import { namesUnder, read, remove, write } from "./keeping.js";
import { now } from "./time.js";

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 8000;

export class Queue {
  // place: where in this browser; told: called after every change; refused: called with an item
  // that the server will never take, and its reason; stored: with an item and the answer.
  constructor(place, { told, refused, stored }) {
    this.place = place;
    this.told = told;
    this.refused = refused;
    this.stored = stored;
    this.newest = 0;
    this.sending = false;
    this.pause = FIRST_PAUSE;
    this.offline = false;
    this.trouble = ""; // what the server says is wrong with it
    addEventListener("online", () => this.flush());
    addEventListener("storage", (event) => {
      if (!event.key?.startsWith(`${place}:`)) return;
      this.told();
      this.flush();
    });
    setTimeout(() => this.flush()); // when the page is ready to be told
  }

  get names() {
    return namesUnder(`${this.place}:`);
  }

  get waiting() {
    return this.names.length;
  }

  // Returns the key, by which the answer is known again. Not sent before ``hold`` milliseconds.
  add(path, body, { hold = 0, ...about }) {
    const key = newKey();
    const item = { path, body: { ...body, key }, ...about, due: now() + hold };
    this.newest = Math.max(now(), this.newest + 1);
    write(`${this.place}:${this.newest}:${key}`, JSON.stringify(item));
    this.told();
    this.flush();
    return key;
  }

  find(key) {
    return this.names.find((name) => name.endsWith(`:${key}`));
  }

  // Milliseconds for which a held item still waits; 0 once it is sent.
  held(key) {
    const name = this.find(key);
    return name ? Math.max(0, JSON.parse(read(name)).due - now()) : 0;
  }

  // Takes back what is still held; returns whether it was.
  withdraw(key) {
    if (!this.held(key)) return false;
    remove(this.find(key));
    this.told();
    return true;
  }

  // Sends what is held now.
  hurry() {
    for (const name of this.names) {
      write(name, JSON.stringify({ ...JSON.parse(read(name)), due: 0 }));
    }
    this.flush();
  }

  async flush() {
    if (this.sending) return;
    this.sending = true;
    clearTimeout(this.timer);
    for (let name = this.names[0]; name; name = this.names[0]) {
      const item = JSON.parse(read(name));
      const early = item.due - now();
      if (early > 0) {
        this.timer = setTimeout(() => this.flush(), early);
        break;
      }
      if (!(await this.send(name, item))) break;
    }
    this.sending = false;
    this.told();
  }

  // Returns whether to go on with the next.
  async send(name, item) {
    try {
      const answer = await call("POST", item.path, item.body);
      this.pause = FIRST_PAUSE;
      this.offline = false;
      this.trouble = "";
      if (read(name) === null) return true; // another tab has sent it too
      remove(name);
      this.stored(item, answer);
    } catch (error) {
      const signedOut = error.status === 401 || error.status === 403;
      if (error instanceof NoConnection || signedOut) {
        this.offline = true;
        this.trouble = error.told ?? "";
        this.timer = setTimeout(() => this.flush(), this.pause);
        this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
        if (signedOut) this.refused(item, error, true);
        return false;
      }
      if (read(name) === null) return true;
      remove(name);
      this.refused(item, error, false);
    }
    return true;
  }
}
