import { expect, test } from 'vitest';
import { colorMark, colorsFor } from '../src/output/colors.ts';
import { printable } from '../src/output/print.ts';
import { visibleLine, visibleText, visibleValue } from '../src/output/visible-text.ts';

/** Everything that a terminal obeys. */
// oxlint-disable-next-line no-control-regex -- these are looked for
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

test('visibleText shows control characters from outside, so that terminals do not obey them', () => {
  expect(visibleText('\u001b[31mred\u001b]0;title\u0007 \u009b2J \u202egnp\r')).toBe(
    String.raw`\u001b[31mred\u001b]0;title\u0007 \u009b2J \u202egnp\u000d`,
  );
  expect(visibleText('plain: µs, 日本語, 👩‍💻\tand\r\nmore\n')).toBe('plain: µs, 日本語, 👩‍💻\tand\r\nmore\n');
  const all = Array.from({ length: 2 ** 16 }, (_, code) => `${String.fromCharCode(code)}x`).join('');
  expect(all).toMatch(obeyed);
  expect(obeyed.exec(visibleText(all))).toBeNull();
});

test('a name cannot begin a new line of a report', () => {
  expect(visibleLine('kernel\nclean: no findings\t')).toBe(String.raw`kernel\nclean: no findings\t`);
});

test('visibleText keeps values in JSON', () => {
  const value = { text: 'a\u009b\u202e\u001b\n', list: [1, null] };
  expect(JSON.parse(visibleText(JSON.stringify(value)))).toEqual(value);
  expect(visibleValue(value)).toEqual({ text: String.raw`a\u009b\u202e\u001b` + '\n', list: [1, null] });
});

test('only our own colours reach a terminal', () => {
  const original = process.env['FORCE_COLOR'];
  const { red } = colorsFor({ isTTY: true });
  const painted = red('\u001b[32mclean');
  // picocolors looks at the environment of this process once.
  if (painted.includes(colorMark))
    expect(printable(painted)).toBe('\u001b[31m' + String.raw`\u001b[32mclean` + '\u001b[39m');
  else expect(original).toBeUndefined();
  expect(printable(`${colorMark}[1mbold${colorMark}[22m \u001b[1m`)).toBe(
    '\u001b[1mbold\u001b[22m ' + String.raw`\u001b[1m`,
  );
});
