// SPDX-License-Identifier: MIT
// A browser without a window: it follows redirects and keeps cookies. As a
// program (`node oidc-browser.mjs URL`) it does what the real one does at the
// end of a login: it also opens the page to which the last redirect leads.
import { pathToFileURL } from 'node:url';

const MAX_REDIRECTS = 20;

function keep(cookies, response) {
  for (const line of response.headers.getSetCookie()) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
    if (value === '') {
      cookies.delete(name);
    } else {
      cookies.set(name, value);
    }
  }
}

/** Opens a page of an authorization server.
 *
 * @return the address outside of that server to which it redirects */
export async function browse(page) {
  const { origin } = new URL(page);
  const cookies = new Map();
  let url = page;
  for (let i = 0; i < MAX_REDIRECTS; i++) {
    const cookie = [...cookies].map(pair => pair.join('=')).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: cookie ? { cookie } : {} });
    keep(cookies, response);
    const where = response.headers.get('location');
    if (where === null) {
      throw new Error(`${url}: HTTP ${response.status}\n${await response.text()}`);
    }
    url = new URL(where, url).href;
    if (new URL(url).origin !== origin) {
      return url;
    }
  }
  throw new Error(`${page}: too many redirects`);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const response = await fetch(await browse(process.argv[2]));
  console.log(await response.text());
}
