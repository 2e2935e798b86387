import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fencesOf, isProgram, packagesOf, property } from '@nccl-ts/fences';
import { installLine, type PublishedPackage } from './published-packages.ts';

/** The URL of the repository, for readers of a package's page on a registry. */
export const repository = 'https://github.com/nccl-ts/nccl-ts';
/** The same for pictures. */
const raw = 'https://raw.githubusercontent.com/nccl-ts/nccl-ts/main/';

/** The missing parts of a package that a registry shows, or that users expect there. */
export function manifestProblems(root: string, packages: readonly PublishedPackage[]): readonly string[] {
  const [first] = packages;
  return packages.flatMap((published) =>
    [
      ...(published.version === first?.version
        ? []
        : [`its version is ${published.version}, but ${first?.version} elsewhere`]),
      ...metadata(published),
      ...legalFiles(root, published),
      ...installing(published),
      ...links(root, published),
    ].map((problem) => `${published.path}: ${problem}`),
  );
}

function metadata({ path, manifest }: PublishedPackage): readonly string[] {
  const expected: Readonly<Record<string, unknown>> = {
    repository: { type: 'git', url: `git+${repository}.git`, directory: path },
    homepage: `${repository}/tree/main/${path}#readme`,
    bugs: `${repository}/issues`,
    license: 'Apache-2.0',
    publishConfig: { access: 'public' },
  };
  const differing = Object.entries(expected)
    .filter(([key, value]) => JSON.stringify(property(manifest, key)) !== JSON.stringify(value))
    .map(([key, value]) => `"${key}" must be ${JSON.stringify(value)}`);
  const lists = { keywords: ['nccl', 'gpu'], files: ['README.md', 'LICENSE', 'NOTICE'] };
  const lacking = Object.entries(lists).flatMap(([key, wanted]) => {
    const given: unknown = property(manifest, key);
    const missing = wanted.filter((one) => !Array.isArray(given) || !given.includes(one));
    return missing.length === 0 ? [] : [`"${key}" lacks ${missing.join(', ')}`];
  });
  return [...differing, ...lacking];
}

function legalFiles(root: string, { folder }: PublishedPackage): readonly string[] {
  return ['LICENSE', 'NOTICE'].flatMap((name) => {
    const own = join(folder, name);
    const same = existsSync(own) && readFileSync(own, 'utf8') === readFileSync(join(root, name), 'utf8');
    return same ? [] : [`${name} must be a copy of the root's`];
  });
}

/** Checks that the README's install line contains all packages that its first program imports. */
function installing({ name, path, readme }: PublishedPackage): readonly string[] {
  if (name.startsWith('create-'))
    return readme.includes(`npm create ${name.slice('create-'.length)} `) ? [] : ['README.md lacks a line npm create'];
  const installed = installLine(readme);
  if (installed === undefined) return ['README.md lacks a line npm install'];
  const program = fencesOf(path, readme).find(isProgram);
  if (program === undefined) return ['README.md shows no program'];
  const missing = [name, ...packagesOf(program)].filter((one) => !installed.includes(one));
  return missing.length === 0 ? [] : [`README.md: the line npm install lacks ${[...new Set(missing)].join(', ')}`];
}

/** Relative links do not work on a registry's page. */
function links(root: string, { readme }: PublishedPackage): readonly string[] {
  const prose = readme.replaceAll(/^```[^]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/(!?)\[[^\]]*\]\(([^)\s]+)\)/g)].flatMap(([, image = '', target = '']) => {
    if (target.startsWith('#')) return [];
    if (!/^[a-z]+:/.test(target)) return [`README.md: the link ${target} is broken on a registry's page`];
    const base = image === '' ? new RegExp(`^${repository}/(?:tree|blob)/main/`) : new RegExp(`^${raw}`);
    const own = target.startsWith(repository) || target.startsWith(raw);
    if (!own) return [];
    const file = target.replace(base, '').replace(/#.*$/, '');
    return base.test(target) && existsSync(join(root, file)) ? [] : [`README.md: ${target} leads to nothing`];
  });
}
