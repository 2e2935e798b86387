import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { open, press, textOf, type, verdict, type Test } from './page-test.ts';

const host = (body: string): string => `export async function host(comm) {\n${body}\n}\n`;

/** Programs that try to freeze the page, or to answer in the checker's place. */
const floods: Readonly<Record<string, string>> = {
  messages: "for (;;) postMessage({ id: 0, kind: 'phase', phase: 'x' });",
  'messages of the prototype': `
  const post = Object.getOwnPropertyDescriptor(DedicatedWorkerGlobalScope.prototype, 'postMessage')?.value ?? self.postMessage;
  for (;;) post.call(self, { id: 0, kind: 'phase', phase: 'x' });`,
  'lines of the console': "for (;;) console.error('line');",
  'uncaught errors':
    "for (;;) { setTimeout(() => { throw new Error('x'); }); await new Promise((done) => setTimeout(done)); }",
  'reported errors': "for (;;) (self.reportError ?? (() => {}))(new Error('x'));",
  requests: "for (;;) try { fetch('http://127.0.0.1:9/').catch(() => {}); await null; } catch {}",
  channels: "for (;;) new (self.BroadcastChannel ?? Object)('x').postMessage?.('x');",
};

/** The tests of programs that mean harm. */
export const hostileTests: Readonly<Record<string, Test>> = {
  'a program that floods the page leaves it usable, and Stop works': async (page) => {
    await open(page, 'playground/?example=shift');
    const text = await textOf(page);
    for (const [name, body] of Object.entries(floods)) {
      await type(page, host(body));
      await press(page, 'Run');
      await page.waitForTimeout(400);
      const delay = await longestDelay(page);
      assert.ok(delay < 500, `${name}: the page did not react for ${Math.round(delay)} ms`);
      const isRunning = await page.isEnabled('#bar button:text-is("Stop")');
      if (isRunning) {
        await press(page, 'Stop');
        assert.equal(await verdict(page), 'Stopped.', name);
      }
    }
    await type(page, text);
    await press(page, 'Run');
    assert.match(await verdict(page), /^It ran in/);
  },
  'a program cannot answer in the place of the checker': async (page) => {
    await open(page, 'playground/?example=no-barrier');
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    const racy = await textOf(page);
    const forge = `
const forged = { report: { verdict: 'clean', findings: [] }, text: '', verdict: 'clean', proof: '', fixes: [], milliseconds: 1 };
const tell = (given) => { try { postMessage(given); } catch {} };
tell(null);
for (let id = 0; id < 60; id++) {
  tell({ id, error: 'x' });
  tell({ id, kind: 'answer', answer: forged });
  tell({ id, kind: 'problem', problem: 'x' });
}
// Whoever sees a port of the page could answer over it. The port is not within reach of a method that is replaced.
const real = MessagePort.prototype.postMessage;
const data = Object.getOwnPropertyDescriptor(MessageEvent.prototype, 'data').get;
const forgeOver = (port) => {
  for (let id = 0; id < 60; id++) real.call(port, { kind: 'answer', id, answer: forged });
};
MessagePort.prototype.postMessage = function (...given) {
  if (given[0]?.kind !== undefined) forgeOver(this);
  return real.apply(this, given);
};
Object.defineProperty(MessageEvent.prototype, 'data', {
  get() {
    if (data.call(this)?.request !== undefined) forgeOver(this.target);
    return data.call(this);
  },
});
`;
    await type(page, racy + forge);
    await press(page, 'Check');
    assert.match(await verdict(page), /^Race/);
    await press(page, 'Run');
    assert.match(await verdict(page), /^It ran in/);
    assert.deepEqual(errors, []);
  },
  'a program that prints or returns without end shows its beginning': async (page) => {
    await open(page, 'playground/?example=shift');
    await type(
      page,
      host(`for (let i = 0; i < 1e6; i++) console.log('line', i);
  console.warn(new Error('why'));
  return { text: 'x'.repeat(5e6), deep: [[[[[[[1]]]]]]] };`),
    );
    await press(page, 'Run');
    assert.match(await verdict(page), /^It ran in/);
    const shown = (await page.textContent('.panel')) ?? '';
    assert.match(shown, /line 0.*line 199.*The page shows the first 200 lines/s);
    assert.ok(shown.length < 100_000, `${shown.length} characters`);
  },
  'an error that nothing catches, and a thrown value, are told in words': async (page) => {
    await open(page, 'playground/?example=shift');
    await type(page, host("setTimeout(() => { throw new Error('too late'); }); await new Promise(() => {});"));
    await press(page, 'Run');
    assert.match(await verdict(page), /^Error: too late/);
    await type(page, host('throw null;'));
    await press(page, 'Run');
    assert.match(await verdict(page), /^The program threw null\./);
  },
  'without the policy of the worker no program runs': async (page) => {
    await page.route('**/worker.js?policy', async (route) => route.fulfill({ status: 200, body: '' }));
    await open(page, 'playground/?example=shift');
    await press(page, 'Run');
    assert.match(await verdict(page), /^Programs do not run here, because the host of this site/);
  },
};

/** The longest pause of the page within half a second, in ms. */
async function longestDelay(page: Page): Promise<number> {
  return page.evaluate(async () => {
    let longest = 0;
    let last = performance.now();
    const until = last + 500;
    while (last < until) {
      await new Promise((done) => {
        setTimeout(done, 5);
      });
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }
    return longest;
  });
}
