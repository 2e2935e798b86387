import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import inspector from 'node:inspector';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createContext, Script } from 'node:vm';

import { lineAt, type SourceLocation } from '@nccl-ts/ir';
import { analyseKernel, deviceFn, kernel, type BodyFunction, type Context, type Use } from '@nccl-ts/kernel';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

const thisFile = fileURLToPath(import.meta.url);
const require = createRequire(import.meta.url);

type Body = Parameters<typeof kernel>[1];

/** The position of `word` in the text of a kernel or its callees. */
function placeOf(word: string, body: BodyFunction, use: Use = {}): SourceLocation | undefined {
  const result = analyseKernel(kernel({ name: 'located', use }, body as Body));
  const sources = result.ok ? result.module.sources : result.sources;
  const source = sources.find(({ text }) => text.includes(word));
  return source?.locate?.(source.text.indexOf(word));
}

/** The first position in this file of `word` . */
function here(word: string): SourceLocation {
  const whole = readFileSync(thisFile, 'utf8');
  const { line, column, text } = lineAt(whole, whole.indexOf(word));
  return { file: thisFile, line, column, text };
}

describe('a function of this file is located', () => {
  it('written as an arrow function', () => {
    const body = ({ threadIdx }: Context<Use>): void => {
      const arrowWord: number = threadIdx.x;
      void arrowWord;
    };
    expect(placeOf('arrowWord', body)).toEqual(here('arrowWord'));
  });

  it('written as a method', () => {
    const owner = {
      body(this: void, { threadIdx }: Context<Use>): void {
        const methodWord: number = threadIdx.x;
        void methodWord;
      },
    };
    expect(placeOf('methodWord', owner.body)).toEqual(here('methodWord'));
  });

  it('written as a function declaration', () => {
    const body = function named({ threadIdx }: Context<Use>): void {
      const functionWord: number = threadIdx.x;
      void functionWord;
    };
    expect(placeOf('functionWord', body)).toEqual(here('functionWord'));
  });

  it('if it is one of two with the same text', () => {
    const make = (): readonly BodyFunction[] => [() => void 'twin', () => void 'twin'];
    const [first, second] = make().map((body) => placeOf("'twin'", body) ?? placeOf('"twin"', body));
    const expected = here("'twin'");
    expect(first).toEqual(expected);
    expect(second).toEqual({ ...expected, column: expected.column + "'twin', () => void ".length });
  });

  it('written as a device function', () => {
    const fn = deviceFn({ name: 'called' }, ({ threadIdx }) => {
      const deviceWord = threadIdx.x;
      return deviceWord;
    });
    const body = ({ called }: Context<{ called: typeof fn }>): void => void called();
    expect(placeOf('deviceWord', body, { called: fn })).toEqual(here('deviceWord'));
  });
});

describe('a function of an untransformed file', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'nccl-ts-locate-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const text = ['// first line', 'exports.body = ({ threadIdx }) => {', '  const word = threadIdx.x;', '};', ''].join(
    '\n',
  );

  /**
   * One segment for `const`, on line 3 from column 3 on: it comes from line 7, column 5 of the
   * first source.
   */
  function sourceMap(more: object = {}): object {
    return { version: 3, sources: ['../authör/the kernel.ts'], names: [], mappings: ';;EAMI', ...more };
  }

  function load(name: string, content: string): BodyFunction {
    const path = join(folder, name);
    writeFileSync(path, content);
    return (require(path) as { body: BodyFunction }).body;
  }

  const author = (base: string): SourceLocation => ({
    file: fileURLToPath(new URL('../authör/the kernel.ts', pathToFileURL(base))),
    line: 7,
    column: 5,
  });

  it('is found in the file', () => {
    const body = load('plain.cjs', text);
    expect(placeOf('word', body)).toMatchObject({ file: join(folder, 'plain.cjs'), line: 3, column: 9 });
  });

  it('is not found after the file has changed', () => {
    const body = load('changed.cjs', text);
    writeFileSync(join(folder, 'changed.cjs'), `// another line\n${text.replace('word', 'term')}`);
    expect(placeOf('word', body)).toBeUndefined();
  });

  it('is not found after the file is gone', () => {
    const body = load('gone.cjs', text);
    rmSync(join(folder, 'gone.cjs'));
    expect(placeOf('word', body)).toBeUndefined();
  });

  it('is found in the file from which types were blanked out', () => {
    const body = load('blanked.cjs', text.replace('word = ', 'word         = '));
    writeFileSync(join(folder, 'blanked.cjs'), text.replace('word = ', 'word: number = '));
    expect(placeOf('word', body)).toMatchObject({ file: join(folder, 'blanked.cjs'), line: 3, column: 9 });
  });

  it('is found through a source map in the file', () => {
    const data = Buffer.from(JSON.stringify(sourceMap())).toString('base64');
    const body = load('inline.cjs', `${text}//# sourceMappingURL=data:application/json;charset=utf-8;base64,${data}\n`);
    expect(placeOf('const', body)).toMatchObject(author(join(folder, 'inline.cjs')));
  });

  it('is found through a source map that is not in base64', () => {
    const data = encodeURIComponent(JSON.stringify(sourceMap()));
    const body = load('percent.cjs', `${text}//# sourceMappingURL=data:application/json,${data}\n`);
    expect(placeOf('const', body)).toMatchObject(author(join(folder, 'percent.cjs')));
  });

  it('is found through a source map beside the file', () => {
    writeFileSync(join(folder, 'beside.cjs.map'), JSON.stringify(sourceMap({ sourceRoot: 'deeper' })));
    const body = load('beside.cjs', `${text}//# sourceMappingURL=beside.cjs.map\n`);
    expect(placeOf('const', body)).toMatchObject(author(join(folder, 'deeper/beside.cjs')));
  });

  it('is quoted from the text in the source map', () => {
    const sourcesContent = [`${'\n'.repeat(6)}    const word: number = threadIdx.x;\n`];
    writeFileSync(join(folder, 'brought.cjs.map'), JSON.stringify(sourceMap({ sourcesContent })));
    const body = load('brought.cjs', `${text}//# sourceMappingURL=brought.cjs.map\n`);
    const expected = { ...author(join(folder, 'brought.cjs')), text: '    const word: number = threadIdx.x;' };
    expect(placeOf('const', body)).toEqual(expected);
    expect(placeOf('word', body)).toEqual({ ...expected, column: 11 });
  });

  it('is found by its address if the source is not a file', () => {
    writeFileSync(join(folder, 'web.cjs.map'), JSON.stringify(sourceMap({ sources: ['webpack://app/./kernel.ts'] })));
    const body = load('web.cjs', `${text}//# sourceMappingURL=web.cjs.map\n`);
    expect(placeOf('const', body)).toMatchObject({
      file: expect.stringContaining('webpack://app/'),
      line: 7,
      column: 5,
    });
  });

  it.each([
    ['missing', undefined],
    ['broken', '{"version": 3, "mappings"'],
    ['empty', 'null'],
    ['of another line', JSON.stringify(sourceMap({ mappings: 'AAMI' }))],
  ])('is found in the file if its source map is %s', (name, map) => {
    const file = `${name.replaceAll(' ', '-')}.cjs`;
    if (map !== undefined) writeFileSync(join(folder, `${file}.map`), map);
    const body = load(file, `${text}//# sourceMappingURL=${file}.map\n`);
    expect(placeOf('const', body)).toMatchObject({ file: join(folder, file), line: 3, column: 3 });
  });

  it('is found in the file after another one has run in another context', () => {
    const path = join(folder, 'context.js');
    writeFileSync(path, '(({ threadIdx }) => {\n  const word = threadIdx.x;\n})');
    const script = new Script(readFileSync(path, 'utf8'), { filename: path });
    const body = script.runInContext(createContext()) as BodyFunction;
    expect(placeOf('word', body)).toMatchObject({ file: path, line: 2, column: 9 });
  });
});

describe('a function without a location', () => {
  it('has no location if its text was never in a file', () => {
    // oxlint-disable-next-line no-implied-eval, typescript/no-implied-eval -- a text without a file
    const body = new Function('{ threadIdx }', 'const word = threadIdx.x;') as BodyFunction;
    expect(placeOf('word', body)).toBeUndefined();
  });

  it('has no location if it is native', () => {
    expect(placeOf('native', Math.max)).toBeUndefined();
  });

  it.each([
    ['there is no process', undefined],
    ['the process is not that of Node', {}],
    ['the process has other built-in modules', { getBuiltinModule: () => undefined }],
    [
      'the process may not inspect itself',
      {
        getBuiltinModule: () => {
          throw new Error('not permitted');
        },
      },
    ],
  ])('has no location if %s', (_, process) => {
    const own = globalThis.process;
    const body = ({ threadIdx }: Context<Use>): void => void threadIdx.x;
    Reflect.set(globalThis, 'process', process);
    let place: SourceLocation | undefined;
    try {
      place = placeOf('threadIdx.x', body);
    } finally {
      globalThis.process = own;
    }
    expect(place).toBeUndefined();
    expect(placeOf('threadIdx.x', body)).toBeDefined();
  });
});

it('the engine is called once for all functions of a file', () => {
  const enabled = vi.spyOn(inspector.Session.prototype, 'post');
  const bodies = Array.from(
    { length: 3 },
    () =>
      function asked({ threadIdx }: Context<Use>): void {
        void threadIdx.y;
      },
  );
  const place = here('function asked(');
  for (const body of bodies) expect(placeOf('threadIdx', body)).toMatchObject({ file: thisFile, line: place.line });
  const others = ['first', 'second'].map((name) => {
    // oxlint-disable-next-line no-implied-eval, typescript/no-implied-eval -- a script of its own
    return new Function('{ threadIdx }', `const ${name} = threadIdx.x;`) as BodyFunction;
  });
  for (const body of others) placeOf('threadIdx', body);
  const methods: readonly unknown[] = enabled.mock.calls.map(([method]) => method);
  const asked = methods.filter((method) => method === 'Debugger.enable');
  // This file may be known from the tests before.
  expect(asked.length).toBeLessThanOrEqual(1 + others.length);
  expect(asked.length).toBeGreaterThanOrEqual(others.length);
  enabled.mockRestore();
});

it('the engine is asked once for the files of all functions captured so far', () => {
  const folder = mkdtempSync(join(tmpdir(), 'nccl-ts-locate-'));
  const kernels = ['north', 'south', 'east'].map((name) => {
    const file = join(folder, `${name}.cjs`);
    writeFileSync(file, `module.exports = ({ threadIdx }) => {\n  const ${name} = threadIdx.x;\n};\n`);
    const result = analyseKernel(kernel({ name }, require(file) as Body));
    return { name, file, sources: result.ok ? result.module.sources : result.sources };
  });
  const asked = vi.spyOn(inspector.Session.prototype, 'post');
  const places = kernels.flatMap(({ name, sources }) =>
    sources.map(({ text, locate }) => locate?.(text.indexOf(name))),
  );
  const methods: readonly unknown[] = asked.mock.calls.map(([method]) => method);
  asked.mockRestore();
  rmSync(folder, { recursive: true });
  expect(places.map((place) => place?.file)).toEqual(kernels.map(({ file }) => file));
  expect(methods.filter((method) => method === 'Debugger.enable')).toHaveLength(1);
});

it('the engine is not asked again for a file that was loaded before', () => {
  const folder = mkdtempSync(join(tmpdir(), 'nccl-ts-locate-'));
  const bodies = ['early', 'late'].map((name) => {
    const file = join(folder, `${name}.cjs`);
    writeFileSync(file, `module.exports = ({ threadIdx }) => {\n  const ${name} = threadIdx.x;\n};\n`);
    return { name, file, body: require(file) as Body };
  });
  const asked = vi.spyOn(inspector.Session.prototype, 'post');
  // The second function is captured when the position of the first one is known.
  const files = bodies.map(({ name, body }) => placeOf(name, body)?.file);
  const methods: readonly unknown[] = asked.mock.calls.map(([method]) => method);
  asked.mockRestore();
  rmSync(folder, { recursive: true });
  expect(files).toEqual(bodies.map(({ file }) => file));
  expect(methods.filter((method) => method === 'Debugger.enable')).toHaveLength(1);
});

it('an attached inspector is left alone, and no traces remain', () => {
  const keys = Reflect.ownKeys(inspector);
  const session = new inspector.Session();
  session.connect();
  let scripts = 0;
  session.post('Debugger.enable');
  session.on('Debugger.scriptParsed', () => scripts++);
  expect(placeOf('threadIdx.x', ({ threadIdx }: Context<Use>): void => void threadIdx.x)).toBeDefined();
  expect(Reflect.ownKeys(inspector)).toEqual(keys);
  scripts = 0;
  new Script('1 + 1').runInThisContext();
  // Still enabled.
  expect(scripts).toBe(1);
  session.disconnect();
});
