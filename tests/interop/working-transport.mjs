// SPDX-License-Identifier: MIT
// The transport that people write by hand for the AI SDK: a POST for each
// message, and its answer.
export class WorkingTransport {
  constructor(url) {
    this.url = url;
  }

  async start() {
    // The client sends initialize itself.
  }

  async send(message) {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(message),
    });

    // A notification has no response.
    if (response.status === 204) {
      return;
    }

    const result = await response.json();
    if (this.onmessage) {
      this.onmessage(result);
    }
  }

  async close() {
    // There is nothing to clean up.
  }
}
