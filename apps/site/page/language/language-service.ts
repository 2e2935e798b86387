import ts from 'typescript';
import type { Completions, Hover, CallSignature, TypeProblem } from './protocol.ts';

const PROGRAM = '/kernel.ts';

const settings: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ['lib.es2023.d.ts'],
  types: [],
  strict: true,
  // Programs of documents are JavaScript.
  noImplicitAny: false,
  noEmit: true,
  skipLibCheck: true,
};

/** TypeScript's information about one program. */
export interface Language {
  update(text: string): void;
  problems(): readonly TypeProblem[];
  hover(at: number): Hover | null;
  completions(at: number): Completions | null;
  details(at: number, name: string): Pick<Hover, 'signature' | 'documentation'> | null;
  signature(at: number): CallSignature | null;
}

/** Creates the language service for a program. `files` has the declarations by path. */
export function languageService(files: Readonly<Record<string, string>>): Language {
  let text = '';
  let version = 0;
  const folders = foldersOf(Object.keys(files));
  const packages = Object.keys(files).flatMap((path) => /^\/node_modules\/(.+)\/package\.json$/.exec(path)?.[1] ?? []);
  const facade = valuesOf(files['/node_modules/nccl-ts/dist/index.d.ts'] ?? '');
  const read = (path: string): string | undefined => (path === PROGRAM ? text : files[path]);
  const service = ts.createLanguageService({
    getCompilationSettings: () => settings,
    getScriptFileNames: () => [PROGRAM, '/lib/surroundings.d.ts'],
    getScriptVersion: (path) => (path === PROGRAM ? String(version) : '0'),
    getScriptSnapshot: (path) => {
      const found = read(path);
      return found === undefined ? undefined : ts.ScriptSnapshot.fromString(found);
    },
    getCurrentDirectory: () => '/',
    getDefaultLibFileName: () => '/lib/lib.es2023.d.ts',
    fileExists: (path) => read(path) !== undefined,
    readFile: read,
    directoryExists: (path) => folders.has(path),
    getDirectories: () => [],
  });
  return {
    update: (next) => {
      if (next === text) return;
      text = next;
      version++;
    },
    problems: () =>
      [...service.getSyntacticDiagnostics(PROGRAM), ...service.getSemanticDiagnostics(PROGRAM)].flatMap(
        ({ start, length, messageText, code }) =>
          start === undefined
            ? []
            : [
                {
                  from: start,
                  to: start + (length ?? 1),
                  message: `TS${code} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
                },
              ],
      ),
    hover: (at) => {
      const info = service.getQuickInfoAtPosition(PROGRAM, at);
      if (info === undefined) return null;
      const { start, length } = info.textSpan;
      return { from: start, to: start + length, ...textsOf(info) };
    },
    completions: (at) => {
      const specifier = /\bfrom\s+['"]([^'"\n]*)$/.exec(text.slice(0, at))?.[1];
      if (specifier !== undefined) {
        return { from: at - specifier.length, entries: packages.map((name) => ({ name, kind: 'string' })) };
      }
      const found = service.getCompletionsAtPosition(PROGRAM, at, {});
      if (found === undefined) return null;
      const from = wordBefore(text, at);
      const known = new Set(found.entries.map(({ name }) => name));
      // A name that the program does not import yet: after a dot there are only members.
      const more =
        found.isMemberCompletion || text.charAt(from - 1) === '.' ? [] : facade.filter((name) => !known.has(name));
      return {
        from,
        entries: [
          ...found.entries.map(({ name, kind }) => ({ name, kind })),
          ...more.map((name) => ({ name, kind: 'const', module: 'nccl-ts' })),
        ],
      };
    },
    details: (at, name) => {
      const found = service.getCompletionEntryDetails(PROGRAM, at, name, {}, undefined, {}, undefined);
      return found === undefined ? null : textsOf(found);
    },
    signature: (at) => {
      const found = service.getSignatureHelpItems(PROGRAM, at, {});
      const item = found?.items[found.selectedItemIndex];
      if (found === undefined || item === undefined) return null;
      return {
        before: joined(item.prefixDisplayParts),
        parameters: item.parameters.map(({ displayParts }) => joined(displayParts)),
        after: joined(item.suffixDisplayParts),
        active: found.argumentIndex,
        documentation: joined(item.documentation),
      };
    },
  };
}

/** The names of the values that a file of re-exports has. */
function valuesOf(declarations: string): readonly string[] {
  const lists = [...declarations.matchAll(/^export \{([^}]*)\}/gm)].flatMap(([, list = '']) => list.split(','));
  return lists.map((name) => name.trim().replace(/^.* as /, '')).filter((name) => /^[a-zA-Z_$][\w$]*$/.test(name));
}

function textsOf({
  displayParts,
  documentation,
}: {
  readonly displayParts?: ts.SymbolDisplayPart[] | undefined;
  readonly documentation?: ts.SymbolDisplayPart[] | undefined;
}): Pick<Hover, 'signature' | 'documentation'> {
  return { signature: joined(displayParts), documentation: joined(documentation) };
}

function joined(parts: readonly ts.SymbolDisplayPart[] | undefined): string {
  return (parts ?? []).map(({ text }) => text).join('');
}

function wordBefore(text: string, at: number): number {
  let from = at;
  while (from > 0 && /[\w$]/.test(text.charAt(from - 1))) from--;
  return from;
}

function foldersOf(paths: readonly string[]): ReadonlySet<string> {
  const folders = new Set(['/']);
  for (const path of paths) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
      folders.add(path.slice(0, end));
  }
  return folders;
}
