import { sourceCondition, toolPath, type Pipeline } from './pipeline.ts';

/** Node itself, which replaces types by blanks and changes nothing else. */
export const node: Pipeline = {
  name: 'node',
  ...(Reflect.get(process.features, 'typescript')
    ? {}
    : { skip: `node ${process.versions.node} runs no TypeScript; 22.18 does` }),
  build: async (_out, { entry }) => [`--conditions=${sourceCondition}`, entry],
};

export const tsx: Pipeline = {
  name: 'tsx',
  build: async (_out, { entry }) => [`--conditions=${sourceCondition}`, '--import', toolPath('tsx'), entry],
};
