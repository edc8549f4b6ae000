// How long a trial takes. When it began is kept with the trial, so that a reload does not stop it.
import { now } from "./time.js";

export class Timer {
  // kept and keep: what survives a reload, and how to change it; began: called at each start.
  constructor(clock, button, kept, keep, began) {
    Object.assign(this, { clock, button, kept, keep, began });
    button.addEventListener("click", () => this.toggle());
  }

  get running() {
    return Boolean(this.kept.started) && this.kept.seconds == null;
  }

  get seconds() {
    if (this.kept.seconds != null) return this.kept.seconds;
    return this.kept.started ? (now() - this.kept.started) / 1000 : 0;
  }

  toggle() {
    if (this.running) {
      this.keep({ seconds: this.seconds });
    } else {
      this.keep({ started: now(), seconds: null });
      this.began();
    }
    this.show();
  }

  show() {
    const seconds = Math.floor(this.seconds);
    const rest = String(seconds % 60).padStart(2, "0");
    this.clock.textContent = `${Math.floor(seconds / 60)}:${rest}`;
    this.clock.classList.toggle("running", this.running);
    this.button.textContent = this.running ? "Stop" : this.kept.started ? "Restart" : "Start";
    // What starts a trial is large; what starts its clock anew must not be taken for it.
    this.button.className = this.running ? "secondary large" : this.kept.started ? "link" : "primary huge";
  }
}
