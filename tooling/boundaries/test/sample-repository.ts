import type { Files } from '../src/repository.ts';

interface SamplePackage {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly manifest?: Readonly<Record<string, unknown>>;
  readonly files?: Readonly<Record<string, string>>;
}

/** The files of `packages/<name>` that follow the rules, with `changes` applied. */
export function samplePackage(name: string, changes: SamplePackage = {}): Files {
  const { dependencies = {}, devDependencies = {} } = changes;
  const manifest = {
    name: `@nccl-ts/${name}`,
    license: 'Apache-2.0',
    type: 'module',
    sideEffects: false,
    exports: {
      '.': { '@nccl-ts/source': './src/index.ts', types: './dist/index.d.ts', default: './dist/index.js' },
      './package.json': './package.json',
    },
    dependencies,
    devDependencies,
    ...changes.manifest,
  };
  const own = Object.keys(dependencies).filter((key) => key.startsWith('@nccl-ts/'));
  const forTests = Object.keys(devDependencies).filter((key) => key.startsWith('@nccl-ts/'));
  const reference = (up: string) => (key: string) => ({ path: `${up}/${key.slice('@nccl-ts/'.length)}` });
  const files = {
    'package.json': JSON.stringify(manifest),
    'README.md': `# ${name}\n`,
    'tsconfig.json': JSON.stringify({ references: own.map(reference('..')) }),
    'test/tsconfig.json': JSON.stringify({ references: [{ path: '..' }, ...forTests.map(reference('../..'))] }),
    'test/main.test.ts': "import { main } from '../src/index.ts';\n",
    'src/index.ts': "export { main } from './main.ts';\n",
    'src/main.ts': [...own.map((key) => `import { main as other } from '${key}';`), 'export const main = 1;\n'].join(
      '\n',
    ),
    ...changes.files,
  };
  return new Map(Object.entries(files).map(([path, text]) => [`packages/${name}/${path}`, text]));
}

/** Several packages as one repository. */
export function sampleRepository(...packages: readonly Files[]): Files {
  return new Map(packages.flatMap((files) => [...files]));
}
