// SPDX-License-Identifier: MIT
// The search of the site runs in a Worker. Browsers start none for a page that is
// opened as a file, so there a hidden frame takes its place: it loads the script,
// and passes messages in both directions.
(() => {
  "use strict";

  // Loads scripts one after the other, as importScripts of a Worker does.
  function load(document, urls) {
    return urls.reduce(
      (before, url) => before.then(() => new Promise((done) => {
        const script = document.createElement("script");
        script.src = url;
        script.onload = done;
        document.body.appendChild(script);
      })),
      Promise.resolve());
  }

  class FrameWorker extends EventTarget {
    constructor(url) {
      super();
      this.onmessage = null;
      this.onerror = null;
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.appendChild(this.frame);
      const inner = this.frame.contentWindow;
      inner.postMessage = (data) => this.receive(data);
      inner.importScripts = (...urls) => load(inner.document, urls);
      this.loaded = load(inner.document, [String(url)]);
    }

    // A message of the script in the frame.
    receive(data) {
      const event = new MessageEvent("message", { data });
      this.dispatchEvent(event);
      if (this.onmessage) {
        this.onmessage(event);
      }
    }

    // A message for the script in the frame.
    postMessage(data) {
      this.loaded.then(() => {
        const inner = this.frame.contentWindow;
        inner.dispatchEvent(new inner.MessageEvent(
          "message", { data: structuredClone(data) }));
      });
    }

    terminate() {
      this.frame.remove();
    }
  }

  if (location.protocol === "file:") {
    window.Worker = FrameWorker;
  }
})();
