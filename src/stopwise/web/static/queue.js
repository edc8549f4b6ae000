// What the operator did, kept in the browser until the server has it. Sent in order, one at a time;
// each carries a key, so that sending it again after a lost answer changes nothing.
import { call, newKey, NoConnection } from "./api.js";

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 8000;

export class Queue {
  // place: where in localStorage; told: called after every change; refused: called with an item
  // that the server will never take, and its reason; stored: with an item and the answer.
  constructor(place, { told, refused, stored }) {
    this.place = place;
    this.told = told;
    this.refused = refused;
    this.stored = stored;
    this.items = JSON.parse(localStorage.getItem(place) ?? "[]");
    this.sending = false;
    this.pause = FIRST_PAUSE;
    this.offline = false;
    addEventListener("online", () => this.flush());
    if (this.items.length) this.flush();
  }

  get waiting() {
    return this.items.length;
  }

  // Returns the key, by which the answer is known again.
  add(path, body, what) {
    const key = newKey();
    this.items.push({ path, body: { ...body, key }, what });
    this.save();
    this.flush();
    return key;
  }

  save() {
    localStorage.setItem(this.place, JSON.stringify(this.items));
    this.told(this);
  }

  async flush() {
    if (this.sending) return;
    this.sending = true;
    clearTimeout(this.timer);
    while (this.items.length) {
      const item = this.items[0];
      try {
        const answer = await call("POST", item.path, item.body);
        this.pause = FIRST_PAUSE;
        this.offline = false;
        this.items.shift();
        this.save();
        this.stored(item, answer);
      } catch (error) {
        const signedOut = error.status === 401 || error.status === 403;
        if (error instanceof NoConnection || signedOut) {
          this.offline = true;
          this.timer = setTimeout(() => this.flush(), this.pause);
          this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
          if (signedOut) this.refused(item, error, true);
          break;
        }
        this.items.shift();
        this.save();
        this.refused(item, error, false);
      }
    }
    this.sending = false;
    this.told(this);
  }
}
