import { launchChromium } from './chromium.ts';
import { serve } from './serve.ts';
await using server = await serve(0);
const browser = await launchChromium();
const list = (
  process.argv[2] ??
  ',docs/tutorial/first-kernel/,packages/lsa/api/,docs/reference/codes/,docs/museum/no-end-barrier/,nothing/'
).split(',');
for (const [size, w, h] of [
  ['desktop', 1440, 900],
  ['phone', 390, 844],
] as const) {
  for (const scheme of (process.argv[3] ?? 'light').split(',') as ('light' | 'dark')[]) {
    const page = await browser.newPage({ baseURL: server.url, viewport: { width: w, height: h }, colorScheme: scheme });
    page.on('pageerror', (e) => console.log('ERR', page.url(), e.message));
    page.on('console', (m) => {
      if (m.type() === 'error' || m.type() === 'warning') console.log(m.type(), page.url(), m.text().slice(0, 300));
    });
    for (const url of list) {
      await page.goto('/' + url, { waitUntil: 'networkidle' });
      await page.screenshot({ path: `/tmp/shots/${size}-${scheme}-${url.replaceAll('/', '_') || 'home'}.png` });
    }
    await page.close();
  }
}
await browser.close();
