import {
  lineAt,
  offsetAt,
  renderDiagnostic,
  renderDiagnostics,
  type Diagnostic,
  type Label,
  type Source,
} from '@nccl-ts/ir';
import { describe, expect, it } from 'vitest';

const kernelText = `({ lsa, coopCta, threadIdx }, { comm, win }) => {
  const bar = lsa.barrierSession(coopCta(), comm, 0);
\tif (threadIdx.x < 3) return;
  bar.sync(coopCta(), 'acquire');

  const x = 1.5 + bar;
}`;
const captured: Source = { name: 'allReduce', text: kernelText };
const located: Source = {
  ...captured,
  locate: (offset) => ({
    file: 'src/all-reduce.ts',
    line: 40 + kernelText.slice(0, offset).split('\n').length,
    column: 9,
  }),
};

/** A label at the first place of `piece` in source `source`. */
function at(piece: string, text: string, source = 0, sourceText = kernelText): Label {
  const start = sourceText.indexOf(piece);
  return { span: { source, start, end: start + piece.length }, text };
}

function error(labels: readonly Label[], rest: Partial<Diagnostic> = {}): Diagnostic {
  return { code: 'K1007', severity: 'error', message: 'Something is wrong.', labels, notes: [], ...rest };
}

describe('renderDiagnostic', () => {
  it('shows the position in the captured text', () => {
    const text = renderDiagnostic(
      error([at('1.5', 'a fraction')], { hint: 'Write `f32(1.5)`.', notes: ['One.', 'Two\nlines.'] }),
      [captured],
    );
    expect(text).toMatchInlineSnapshot(`
      "error[K1007]: Something is wrong.
       --> kernel allReduce (captured text):6:13
        |
      6 |   const x = 1.5 + bar;
        |             ^^^ a fraction
        |
        = note: One.
        = note: Two
                lines.
        = help: Write \`f32(1.5)\`."
    `);
  });

  it("shows the position in the author's file if the source knows it", () => {
    expect(renderDiagnostic(error([at('1.5', 'a fraction')]), [located])).toMatchInlineSnapshot(`
      "error[K1007]: Something is wrong.
        --> src/all-reduce.ts:46:9
         |
      46 |   const x = 1.5 + bar;
         |             ^^^ a fraction"
    `);
  });

  it('shows several labels, on one line and on several, with tabs', () => {
    const labels = [
      at('return', 'this exit ends the session for only some threads'),
      at('threadIdx.x < 3', 'threads go different ways here'),
      at("bar.sync(coopCta(), 'acquire')", 'and never arrive here'),
      at('lsa.barrierSession', 'the session'),
      at('bar = ', ''),
    ];
    expect(renderDiagnostic(error(labels), [captured])).toMatchInlineSnapshot(`
      "error[K1007]: Something is wrong.
       --> kernel allReduce (captured text):3:23
        |
      2 |   const bar = lsa.barrierSession(coopCta(), comm, 0);
        |         ------------------------ the session
      3 |     if (threadIdx.x < 3) return;
        |         ---------------  ^^^^^^ this exit ends the session for only some threads
        |         |
        |         threads go different ways here
      4 |   bar.sync(coopCta(), 'acquire');
        |   ------------------------------ and never arrive here"
    `);
  });

  it('omits lines between distant ones, and names other sources', () => {
    const other: Source = { name: 'helper', text: 'function helper(a) {\n  return a;\n}' };
    const labels = [at('x = 1.5', 'first'), at('lsa', 'second'), at('return a', 'third', 1, other.text)];
    expect(renderDiagnostic(error(labels), [captured, other])).toMatchInlineSnapshot(`
      "error[K1007]: Something is wrong.
       --> kernel allReduce (captured text):6:9
        |
      1 | ({ lsa, coopCta, threadIdx }, { comm, win }) => {
        |    --- second
      ...
      6 |   const x = 1.5 + bar;
        |         ^^^^^^^ first
        |
       ::: kernel helper (captured text):2:3
        |
      2 |   return a;
        |   -------- third"
    `);
  });

  it('shows the calls that led to inlined text', () => {
    const other: Source = { name: 'helper', text: 'function helper(a) {\n  return a;\n}' };
    const inlined = at('return a', 'here', 1, other.text);
    const span = { ...inlined.span, inlinedAt: at('bar.sync', '').span };
    expect(renderDiagnostic(error([{ ...inlined, span }]), [captured, other])).toMatchInlineSnapshot(`
      "error[K1007]: Something is wrong.
       --> kernel helper (captured text):2:3
        |
      2 |   return a;
        |   ^^^^^^^^ here
        |
       ::: kernel allReduce (captured text):4:3
        |
      4 |   bar.sync(coopCta(), 'acquire');
        |   -------- called here"
    `);
  });

  it('cuts long lines around the marks', () => {
    const text = `${'var a=1;'.repeat(40)}BAD(threadIdx.x)${';b()'.repeat(60)};WORSE`;
    const minified: Source = { name: 'min', text };
    const near = [at('BAD', 'not this', 0, text), at('threadIdx.x', 'nor this', 0, text)];
    const shown = renderDiagnostic(error(near), [minified]);
    expect(shown).toMatchInlineSnapshot(`
      "error[K1007]: Something is wrong.
       --> kernel min (captured text):1:321
        |
      1 | …a=1;var a=1;var a=1;var a=1;var a=1;var a=1;BAD(threadIdx.x);b();b();b();b();b();b();b();b();b();b();b()…
        |                                              ^^^ ----------- nor this
        |                                              |
        |                                              not this"
    `);
    const far = renderDiagnostic(error([at('BAD', 'not this', 0, text), at('WORSE', 'nor this', 0, text)]), [minified]);
    expect(far).toMatchInlineSnapshot(`
      "error[K1007]: Something is wrong.
       --> kernel min (captured text):1:321
        |
      1 | …1;var a=1;var a=1;var a=1;var a=1;var a=1;var a=1;BAD(threadIdx.x);b();b();b();b();b();b();b();b();b();b…
        |                                                    ^^^ not this
      1 | …b();b();b();b();b();b();b();b();b();b();b();b();b();b();b();b();b();b();b();b();b();b();b();b();b();WORSE
        |                                                                                                      -----
        |                                                                                                      |
        |                                                                                                   nor this"
    `);
    const long = renderDiagnostic(
      error([at(text, 'a very long span that takes up all of the line and more', 0, text)]),
      [minified],
    );
    for (const line of `${shown}\n${far}\n${long}`.split('\n')) expect(line.length).toBeLessThanOrEqual(110);
  });

  it('wraps long labels', () => {
    const label = { ...at('1.5', ''), text: 'word '.repeat(40).trim() };
    const shown = renderDiagnostic(error([label, at('x =', 'left of it')]), [captured]);
    expect(shown).toMatchInlineSnapshot(`
      "error[K1007]: Something is wrong.
       --> kernel allReduce (captured text):6:13
        |
      6 |   const x = 1.5 + bar;
        |         --- ^^^
        |         |   |
        |         |   word word word word word word word word word word word word word word word word word word word
        |         |   word word word word word word word word word word word word word word word word word word word
        |         |   word word
        |         left of it"
    `);
    for (const line of shown.split('\n')) expect(line.length).toBeLessThanOrEqual(110);
  });

  it('marks empty and many-line spans, also at the end', () => {
    const end = kernelText.length;
    const labels: readonly Label[] = [
      { span: { source: 0, start: end, end }, text: 'something is missing' },
      { span: { source: 0, start: kernelText.indexOf('const bar'), end }, text: 'from here on' },
    ];
    expect(renderDiagnostic(error(labels, { severity: 'warning' }), [captured])).toMatchInlineSnapshot(`
      "warning[K1007]: Something is wrong.
       --> kernel allReduce (captured text):7:2
        |
      2 |   const bar = lsa.barrierSession(coopCta(), comm, 0);
        |   --------------------------------------------------- from here on
      ...
      7 | }
        |  ^ something is missing"
    `);
  });

  it('works without positions', () => {
    expect(renderDiagnostic(error([], { hint: 'Help.' }), [])).toBe(
      'error[K1007]: Something is wrong.\n  = help: Help.',
    );
    const nowhere: Label = { span: { source: 7, start: 0, end: 1 }, text: 'lost' };
    expect(renderDiagnostic(error([nowhere]), [captured])).toBe('error[K1007]: Something is wrong.\n  = note: lost');
    const outside: Label = { span: { source: 0, start: 900, end: 9000 }, text: 'past the end' };
    expect(() => renderDiagnostic(error([outside]), [captured])).not.toThrow();
  });

  it("removes control characters from a kernel's text", () => {
    const hostile: Source = { name: 'a\u001b[31mb', text: 'x = "\u001b[2J\u202e"\r\n' };
    const shown = renderDiagnostic(error([at('x', 'a\u0007b', 0, hostile.text)]), [hostile]);
    expect(shown).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
  });

  it('colours only on request', () => {
    const shown = renderDiagnostic(error([at('1.5', 'a fraction')], { hint: 'Help.' }), [captured], { colour: true });
    expect(JSON.stringify(shown)).toMatchInlineSnapshot(
      `""\\u001b[1;31merror[K1007]\\u001b[0m\\u001b[1m: Something is wrong.\\u001b[0m\\n\\u001b[1;34m -->\\u001b[0m kernel allReduce (captured text):6:13\\n\\u001b[1;34m  |\\u001b[0m\\n\\u001b[1;34m6 |\\u001b[0m   const x = 1.5 + bar;\\n\\u001b[1;34m  |\\u001b[0m             \\u001b[1;31m^^^\\u001b[0m \\u001b[1;31ma fraction\\u001b[0m\\n\\u001b[1;34m  |\\u001b[0m\\n\\u001b[1;34m  =\\u001b[0m \\u001b[1mhelp\\u001b[0m: Help.""`,
    );
    // Without the colours it is the plain text.
    const plain = renderDiagnostic(error([at('1.5', 'a fraction')], { hint: 'Help.' }), [captured]);
    expect(shown.replaceAll(/\p{Cc}\[[\d;]*m/gu, '')).toBe(plain);
  });
});

/**
 * A source whose pieces are found in the author's text: offset in one to offset in the other, as
 * source maps say it.
 */
function mapped(name: string, text: string, author: string, pieces: readonly (readonly [string, string])[]): Source {
  const entries = pieces.map(([piece, authors]) => ({ from: text.indexOf(piece), to: author.indexOf(authors) }));
  return {
    name,
    text,
    locate: (offset) => {
      const entry = entries.findLast(({ from }) => from <= offset);
      return entry && { file: 'src/author.ts', ...lineAt(author, entry.to) };
    },
  };
}

describe("the author's line", () => {
  const author = `const sum = kernel({ name: 'sum' }, ({ f32 }, { win, at }) => {
  const values = pointer(win, f32, 0);
\tvalues[at] = f32(outside) + values[0]; // as it was written
  values[at + 1] = missing;
});`;
  const text = `(a,b)=>{const c=d(b.win,a.f32,0);c[b.at]=a.f32(e)+c[0],c[b.at+1]=f}`;
  const source = mapped('sum', text, author, [
    ['(a,b)', '({ f32 }'],
    ['c=d', 'values = pointer'],
    ['d(b', 'pointer(win'],
    [',0)', '0);'],
    ['c[b.at]=', 'values[at] ='],
    ['a.f32(e)', 'f32(outside)'],
    ['e)+', 'outside)'],
    [')+c[0]', ') + values'],
    ['c[0]', 'values[0];'],
    ['0],', '0];'],
    ['c[b.at+1]', 'values[at + 1]'],
    ['f}', 'missing;'],
    ['}', '});'],
  ]);
  const here = (piece: string, label: string): Label => at(piece, label, 0, text);

  it('is quoted if the captured text differs', () => {
    expect(renderDiagnostic(error([here('f}', 'not known')]), [source])).toMatchInlineSnapshot(`
      "error[K1007]: Something is wrong.
       --> src/author.ts:4:20
        |
      4 |   values[at + 1] = missing;
        |                    ^^^^^^^^ not known"
    `);
  });

  it('has all labels that belong to it', () => {
    const labels = [
      here('f}', 'the last'),
      here('c[0]', 'an element'),
      here('e', 'the first'),
      here('d(b.win,a.f32,0)', 'the pointer'),
    ];
    expect(renderDiagnostic(error(labels), [source])).toMatchInlineSnapshot(`
      "error[K1007]: Something is wrong.
       --> src/author.ts:4:20
        |
      2 |   const values = pointer(win, f32, 0);
        |                  ----------------- the pointer
      3 |     values[at] = f32(outside) + values[0]; // as it was written
        |                      -------    ------- an element
        |                      |
        |                      the first
      4 |   values[at + 1] = missing;
        |                    ^^^^^^^^ the last"
    `);
  });

  it("is marked to its end if the span continues, or to its last word if the span's end is unknown", () => {
    expect(renderDiagnostic(error([here('c[b.at]=a.f32(e)+c[0],c[b.at+1]=f', 'both')]), [source]))
      .toMatchInlineSnapshot(`
      "error[K1007]: Something is wrong.
       --> src/author.ts:3:2
        |
      3 |     values[at] = f32(outside) + values[0]; // as it was written
        |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ both"
    `);
    const { locate } = source;
    const endless: Source = {
      ...source,
      locate: (offset) => (offset === text.indexOf(')+') ? undefined : locate?.(offset)),
    };
    expect(renderDiagnostic(error([here('e', 'to its end')]), [endless])).toMatchInlineSnapshot(`
      "error[K1007]: Something is wrong.
       --> src/author.ts:3:19
        |
      3 |     values[at] = f32(outside) + values[0]; // as it was written
        |                      ^^^^^^^ to its end"
    `);
  });

  it('is quoted beside captured text if only some labels can be mapped', () => {
    const { locate } = source;
    const half: Source = {
      ...source,
      locate: (offset) => (offset < text.indexOf('c[b.at+1]') ? locate?.(offset) : undefined),
    };
    expect(renderDiagnostic(error([here('d(b', 'known'), here('c[b.at+1]', 'unknown')]), [half]))
      .toMatchInlineSnapshot(`
      "error[K1007]: Something is wrong.
       --> src/author.ts:2:18
        |
      2 |   const values = pointer(win, f32, 0);
        |                  ^^^^^^^ known
        |
       ::: kernel sum (captured text):1:56
        |
      1 | (a,b)=>{const c=d(b.win,a.f32,0);c[b.at]=a.f32(e)+c[0],c[b.at+1]=f}
        |                                                        --------- unknown"
    `);
  });

  it('is marked as a whole if the map knows only lines, and at one position for an empty span', () => {
    const lines: Source = {
      ...source,
      locate: () => ({ file: 'src/author.ts', line: 4, column: 1, text: '  values[at + 1] = missing;' }),
    };
    expect(renderDiagnostic(error([here('e', '')]), [lines])).toMatchInlineSnapshot(`
      "error[K1007]: Something is wrong.
       --> src/author.ts:4:1
        |
      4 |   values[at + 1] = missing;
        |   ^^^^^^^^^^^^^^^^^^^^^^^^^"
    `);
    const start = text.indexOf('c[0]');
    expect(renderDiagnostic(error([{ span: { source: 0, start, end: start }, text: 'here' }]), [source]))
      .toMatchInlineSnapshot(`
      "error[K1007]: Something is wrong.
       --> src/author.ts:3:30
        |
      3 |     values[at] = f32(outside) + values[0]; // as it was written
        |                                 ^ here"
    `);
  });

  it('may be shorter than an outdated map', () => {
    const stale: Source = {
      ...source,
      locate: (offset) => ({ file: 'src/author.ts', line: 1, column: 90 + offset, text: 'short' }),
    };
    expect(() => renderDiagnostic(error([here('e', 'gone')]), [stale])).not.toThrow();
  });
});

describe('renderDiagnostics', () => {
  it('separates diagnostics by an empty line', () => {
    const list = [error([]), error([], { code: 'K2001', message: 'Again.' })];
    expect(renderDiagnostics(list, [])).toBe('error[K1007]: Something is wrong.\n\nerror[K2001]: Again.');
  });
});

it('offsetAt is the inverse of lineAt, and undefined for a line that the text lacks', () => {
  for (let offset = 0; offset <= kernelText.length; offset++) {
    const { line, column } = lineAt(kernelText, offset);
    expect(offsetAt(kernelText, line, column)).toBe(offset);
  }
  expect(offsetAt(kernelText, 8, 1)).toBeUndefined();
  expect(offsetAt(kernelText, 0, 1)).toBeUndefined();
});
