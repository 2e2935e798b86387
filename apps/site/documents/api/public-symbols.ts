import { readdirSync } from 'node:fs';
import type { Program, Symbol as TsSymbol, TypeChecker } from 'typescript';
import { root } from '../../src/folders.ts';
import { manifestOf } from '../../src/manifest.ts';
import { ts } from './typescript.ts';

/** An export of a package, from one of its entry points. */
export interface PublicSymbol {
  readonly name: string;
  /** The specifier from which a program imports it. */
  readonly specifier: string;
  /** The folder of the package that declares it, which is the one to describe it. */
  readonly home: string;
  readonly symbol: TsSymbol;
}

export interface PublicApi {
  readonly checker: TypeChecker;
  /** By the folder of the package. */
  readonly packages: ReadonlyMap<string, readonly PublicSymbol[]>;
  /** The address of a symbol's description. */
  readonly hrefs: ReadonlyMap<TsSymbol, string>;
}

/** Reads the declarations that the build of the packages has written. */
export function publicApi(): PublicApi {
  const entries = readdirSync(`${root}packages`)
    .toSorted()
    .flatMap((folder) => entriesOf(folder));
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts'],
      types: [],
      skipLibCheck: true,
      noEmit: true,
    },
  );
  const checker = program.getTypeChecker();
  const packages = new Map<string, PublicSymbol[]>();
  const hrefs = new Map<TsSymbol, string>();
  for (const { folder, specifier, file } of entries) {
    const list = packages.get(folder) ?? [];
    packages.set(folder, list);
    for (const found of exportsOf(program, checker, file)) {
      if (list.some(({ symbol }) => symbol === found.symbol)) continue;
      list.push({ ...found, specifier, home: homeOf(found.symbol) ?? folder });
    }
  }
  for (const [folder, list] of packages) {
    for (const { name, home, symbol } of list) {
      const isHome = home === folder || !packages.get(home)?.some((one) => one.symbol === symbol);
      if (isHome) hrefs.set(symbol, `/packages/${folder}/api/#${name}`);
    }
  }
  return { checker, packages, hrefs };
}

function entriesOf(folder: string): readonly { folder: string; specifier: string; file: string }[] {
  const { name, types } = manifestOf(folder);
  return [...types].map(([key, file]) => ({
    folder,
    specifier: name + key.slice(1),
    file: `${root}packages/${folder}/${file.replace(/^\.\//, '')}`,
  }));
}

function exportsOf(
  program: Program,
  checker: TypeChecker,
  file: string,
): readonly { name: string; symbol: TsSymbol }[] {
  const source = program.getSourceFile(file);
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  if (module === undefined) return [];
  return checker
    .getExportsOfModule(module)
    .map((symbol) => ({
      name: symbol.name,
      symbol: symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
    }))
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
}

function homeOf(symbol: TsSymbol): string | undefined {
  const file = symbol.declarations?.[0]?.getSourceFile().fileName ?? '';
  return /\/packages\/([^/]+)\/dist\//.exec(file)?.[1];
}
