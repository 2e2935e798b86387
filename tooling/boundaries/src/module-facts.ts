import { parseSync, Visitor, type Statement, type StaticExport } from 'oxc-parser';

/** An import of another module. */
export interface ImportFact {
  readonly specifier: string;
  readonly line: number;
  /** True for `import './x.ts'`, which imports a module only for its effect. */
  readonly bare: boolean;
  /** True for `import('./x.ts')`, which imports a module only when it runs. */
  readonly dynamic: boolean;
}

/** The properties of a source file that the rules need. */
export interface ModuleFacts {
  readonly lines: number;
  readonly imports: readonly ImportFact[];
  readonly defaultExports: readonly number[];
  /**
   * The lines of top-level statements other than `export { a, b } from '...'` (with or without
   * `type`).
   */
  readonly notReExports: readonly number[];
  /** True if the file contains nothing yet: `export {}`. */
  readonly empty: boolean;
  readonly syntaxErrors: readonly string[];
}

/**
 * Reads a TypeScript or JavaScript module with a real parser, so comments and strings that look
 * like imports are ignored. The parser's record of the module has most properties. Its tree takes
 * several times as long as the parse, so it is built only if needed.
 */
export function moduleFacts(path: string, text: string): ModuleFacts {
  const parsed = parseSync(path, text, { sourceType: 'module' });
  const { module, errors } = parsed;
  const lineOf = lineFinder(text);
  const imports: ImportFact[] = [];
  const add = (specifier: string, start: number, { bare = false, dynamic = false } = {}): void => {
    imports.push({ specifier, line: lineOf(start), bare, dynamic });
  };

  for (const statement of module.staticImports) {
    const bare = statement.entries.length === 0 && !/^import\s*(type\s*)?\{/.test(text.slice(statement.start));
    add(statement.moduleRequest.value, statement.start, { bare });
  }
  for (const statement of module.staticExports) {
    const request = statement.entries.find((entry) => entry.moduleRequest !== null)?.moduleRequest;
    if (request) add(request.value, statement.start);
  }
  // An expression or a type. The module's record has only the expression, as text.
  if (/\bimport\s*\(/.test(text)) {
    new Visitor({
      ImportExpression(node) {
        const { source, start } = node;
        if (source.type === 'Literal' && typeof source.value === 'string') add(source.value, start, { dynamic: true });
      },
      TSImportType(node) {
        add(node.source.value, node.start);
      },
    }).visit(parsed.program);
  }

  if (text.includes('<reference')) {
    for (const { value, start } of parsed.comments) {
      const types = /^\/\s*<reference\s+types="([^"]+)"/.exec(value)?.[1];
      if (types !== undefined) add(types, start);
    }
  }

  return {
    lines: text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0),
    imports,
    defaultExports: module.staticExports.filter(exportsDefault).map(({ start }) => lineOf(start)),
    get notReExports() {
      return parsed.program.body
        .filter((node) => node.type !== 'ExportNamedDeclaration' || node.source === null)
        .filter((node) => !isEmptyExport(node))
        .map((node) => lineOf(node.start));
    },
    get empty() {
      return parsed.program.body.every(isEmptyExport);
    },
    syntaxErrors: errors.map((error) => error.message),
  };
}

function isEmptyExport(node: Statement): boolean {
  return node.type === 'ExportNamedDeclaration' && node.declaration === null && node.specifiers.length === 0;
}

/**
 * `export default ...`, `export { x as default }`, `export { default } from '...'`. The first has
 * no name, as has `export * from '...'`.
 */
function exportsDefault({ entries }: StaticExport): boolean {
  return entries.some(
    ({ exportName: { name }, moduleRequest }) => name === 'default' || (name === null && moduleRequest === null),
  );
}

function lineFinder(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    const after = starts.findIndex((start) => start > offset);
    return after === -1 ? starts.length : after;
  };
}
