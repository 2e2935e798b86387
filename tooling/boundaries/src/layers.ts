/** The rule of the architecture for one package: its layer and its allowed imports. */
export interface PackageRule {
  readonly layer: number;
  /** The packages that are listed for it. It may import everything that they may import. */
  readonly mayImport: readonly string[];
  /**
   * `neutral` code runs in browsers as well as in Node, so it may not import Node's built-in
   * modules.
   */
  readonly platform: 'neutral' | 'node';
  /**
   * The backend for which it is made, which is the only one that it may import. Other packages
   * import none.
   */
  readonly backend?: string;
  /** Workspace packages that only its tests may use, as `devDependencies`. */
  readonly testsMayUse?: readonly string[];
  /** The app or package whose command it starts. It is a dependency that no source imports. */
  readonly starts?: string;
  /** The name in its package.json, if that is not `@nccl-ts/` followed by the folder's name. */
  readonly name?: string;
}

const deviceApi = ['lsa', 'multimem', 'cft', 'gin', 'barrier', 'll-a2a', 'reduce-copy'];

function neutral(layer: number, mayImport: readonly string[], testsMayUse: readonly string[] = []): PackageRule {
  return { layer, mayImport, platform: 'neutral', testsMayUse };
}

/**
 * All packages. The check fails for a package without a row, because its layer is a decision that
 * this table records.
 */
export const packageRules: Readonly<Record<string, PackageRule>> = {
  core: neutral(0, []),
  ir: neutral(1, ['core']),
  topology: neutral(1, ['core']),
  timeline: neutral(1, ['core']),
  'memory-model': neutral(1, ['core']),
  kernel: neutral(2, ['ir']),
  mutation: neutral(2, ['ir'], ['kernel', 'devcomm', 'lsa', 'gin', 'barrier']),
  ptx: neutral(3, ['kernel'], ['backend-sim', 'checker', 'communicator', 'findings']),
  window: neutral(2, ['topology']),
  devcomm: neutral(3, ['kernel', 'window', 'topology']),
  transport: neutral(4, ['ir', 'devcomm']),
  lsa: neutral(4, ['devcomm']),
  multimem: neutral(4, ['devcomm']),
  cft: neutral(4, ['devcomm']),
  gin: neutral(4, ['devcomm']),
  barrier: neutral(5, ['lsa', 'gin']),
  'll-a2a': neutral(5, ['lsa', 'multimem']),
  'reduce-copy': neutral(5, ['lsa', 'multimem']),
  findings: neutral(5, ['transport']),
  communicator: neutral(6, ['transport', 'devcomm']),
  codegen: neutral(6, ['findings'], ['kernel']),
  'cost-model': neutral(7, ['codegen']),
  'cpu-collectives': neutral(7, ['codegen']),
  'backend-sim': neutral(
    8,
    ['cost-model', 'cpu-collectives', 'findings', 'memory-model', ...deviceApi],
    ['communicator'],
  ),
  'backend-webgpu': neutral(6, ['findings', ...deviceApi], ['communicator', 'conformance']),
  'backend-cuda': {
    layer: 6,
    mayImport: ['findings', ...deviceApi],
    platform: 'node',
    testsMayUse: ['communicator', 'conformance'],
  },
  'webgpu-distributed': {
    ...neutral(7, ['backend-webgpu'], ['communicator', 'conformance']),
    backend: 'backend-webgpu',
  },
  collectives: neutral(7, ['communicator', ...deviceApi], ['backend-sim', 'checker']),
  'machine-profile': neutral(8, ['communicator', 'lsa'], ['backend-sim', 'cost-model', 'prediction', 'timeline']),
  checker: { ...neutral(9, ['backend-sim', 'communicator']), backend: 'backend-sim', testsMayUse: ['conformance'] },
  prediction: { ...neutral(9, ['backend-sim', 'mutation']), backend: 'backend-sim', testsMayUse: ['communicator'] },
  vitest: { ...neutral(10, ['checker', 'communicator']), backend: 'backend-sim' },
  harness: neutral(
    9,
    ['communicator', 'ptx', 'findings', ...deviceApi],
    ['backend-sim', 'checker', 'cost-model', 'prediction'],
  ),
  relax: neutral(10, ['checker', 'harness', 'mutation', 'prediction']),
  'launch-json': neutral(10, ['devcomm', 'harness'], ['checker', 'findings']),
  'nccl-ts': {
    ...neutral(11, ['checker', 'collectives', 'communicator', 'findings', 'harness', 'vitest', ...deviceApi]),
    backend: 'backend-sim',
    starts: 'cli',
    name: 'nccl-ts',
  },
  mcp: { layer: 12, mayImport: [], platform: 'node', starts: 'nccl-ts' },
  'eslint-plugin': { layer: 6, mayImport: deviceApi, platform: 'node' },
  'create-nccl-ts': { layer: 0, mayImport: [], platform: 'node', name: 'create-nccl-ts' },
  conformance: neutral(10, ['collectives', 'communicator', 'findings', ...deviceApi]),
};

/** Everything that `name` may import: the packages that its rule names, and their own imports. */
export function importable(
  name: string,
  rules: Readonly<Record<string, PackageRule>> = packageRules,
): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (current: string): void => {
    for (const next of rules[current]?.mayImport ?? []) {
      if (found.has(next)) continue;
      found.add(next);
      visit(next);
    }
  };
  visit(name);
  return found;
}

/**
 * The problems of the table itself: an import that is not of a lower layer, or an import of a
 * backend.
 */
export function tableProblems(rules: Readonly<Record<string, PackageRule>> = packageRules): readonly string[] {
  return Object.entries(rules).flatMap(([name, rule]) =>
    rule.mayImport.flatMap((target) => {
      const targetRule = rules[target];
      if (targetRule === undefined) return [`${name} names ${target}, which is not in the table`];
      if (target.startsWith('backend-') && target !== rule.backend) {
        return [`${name} names ${target}, but only packages that are made for a backend may import it`];
      }
      if (targetRule.layer >= rule.layer) return [`${name} names ${target}, which is not below it`];
      return [];
    }),
  );
}
