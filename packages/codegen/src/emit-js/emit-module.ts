import type { JsContext } from './js-context.ts';
import { clusterCtas } from '@nccl-ts/ir';
import { PREPARE } from './launch-locals.ts';
import { literal } from '../emit-shared/literals.ts';
import type { ModuleText } from '../emit-shared/module-text.ts';
import { componentsOf } from '../emit-shared/types.ts';

/**
 * Returns the whole text: the body of a function of `host`, `args`, `support` and `strings` that
 * returns the program. Its functions share the launch's arguments. The state of one CTA is in the
 * object that `start` makes.
 */
export function assembleModule(context: JsContext, text: ModuleText): string {
  const helpers = [...context.helpers].sort().map((name) => `const ${name} = support.${name};`);
  const lines = [
    "'use strict';",
    ...helpers,
    ...parameters(context),
    ...Array.from(context.handleFields, ([value, name]) => `const ${name} = ${value};`),
    ...arrayBounds(context),
    ...(context.regions?.hasFunctions !== true
      ? []
      : [`const { compiled, frame${context.traced ? ', tracing' : ''} } = support.regions;`]),
    ...text.functions,
    start(context, text),
    `return { ${['start', 'resume', 'canResume', 'waiting', ...text.optional].join(', ')} };`,
  ];
  return indent(lines.join('\n'));
}

function parameters(context: JsContext): readonly string[] {
  return context.module.params.flatMap(({ type }, i) => {
    const [first] = componentsOf(type);
    if (type.kind === 'pointer') return [`const p${i}_a = args[${i}].address;`, `const p${i}_r = args[${i}].region;`];
    if (type.kind === 'vector')
      return componentsOf(type).map(({ suffix }, k) => `const p${i}${suffix} = args[${i}][${k}];`);
    return [`const p${i}${first?.suffix ?? ''} = args[${i}];`];
  });
}

function arrayBounds(context: JsContext): readonly string[] {
  const { bounds, bytes } = context.arrays;
  const { local } = bounds;
  // The null region of each CTA stays empty.
  const shared = Array.from({ length: clusterCtas(context.module.cluster) }, (_, rank) =>
    bounds.shared.map(({ low, high }) => {
      const by = high === 0 ? 0 : rank * bytes.shared;
      return { low: low + by, high: high + by };
    }),
  ).flat();
  const table = (name: string, values: readonly number[]): string =>
    `const ${name} = Float64Array.of(${values.map(literal).join(', ')});`;
  return [
    ...(shared.length > 1
      ? [
          table(
            'sharedLow',
            shared.map((a) => a.low),
          ),
          table(
            'sharedHigh',
            shared.map((a) => a.high),
          ),
        ]
      : []),
    ...(local.length > 1
      ? [
          table(
            'localLow',
            local.map((a) => a.low),
          ),
          table(
            'localHigh',
            local.map((a) => a.high),
          ),
        ]
      : []),
  ];
}

function start(context: JsContext, text: ModuleText): string {
  const { shared: sharedBytes, local: localBytes } = context.arrays.bytes;
  const fields = [...text.fields].map(([name, value]) => `${name}: ${value},`);
  const hasCluster = context.module.cluster !== undefined;
  const watchesShared = context.watched && sharedBytes > 0;
  if (hasCluster) fields.push('member,', 'shared: member.shared,');
  else if (watchesShared) fields.push('shared,');
  else if (sharedBytes > 0) fields.push(`shared: support.views(${sharedBytes}),`);
  if (localBytes > 0) fields.push(`local: support.views(${localBytes * context.threads}),`);
  if (context.partialReturns) fields.push(`dead: new Uint8Array(${context.threads}),`);
  if (context.traced) fields.push('trace: host.trace.open(identity),');
  if (context.watched)
    fields.push(`watch: host.watch.open(identity${hasCluster ? ', member.shared' : watchesShared ? ', shared' : ''}),`);
  if (context.interrupts) fields.push(`pace: host.pace(identity, ${context.threads}),`);
  const prepared = [
    ...(context.launchLocals.size > 0 ? [`${PREPARE}({ identity });`] : []),
    ...(hasCluster
      ? [`const member = support.joinCluster(identity, ${sharedBytes}, ${context.arrays.bounds.shared.length});`]
      : []),
    ...(watchesShared && !hasCluster ? [`const shared = support.views(${sharedBytes});`] : []),
  ];
  return ['function start(identity) {', ...prepared, 'return {', 'identity,', 'pc: 0,', ...fields, '};', '}'].join(
    '\n',
  );
}

/**
 * Returns the text with every line indented by its braces. Generated text has no strings with
 * braces.
 */
export function indent(text: string): string {
  let depth = 0;
  return text
    .split('\n')
    .map((line) => {
      const opens = count(line, '{');
      const closes = count(line, '}');
      const leading = line.startsWith('}') ? 1 : 0;
      const at = depth - leading;
      depth += opens - closes;
      return line === '' || at <= 0 ? line : '  '.repeat(at) + line;
    })
    .join('\n')
    .concat('\n');
}

function count(line: string, character: string): number {
  let found = 0;
  for (let at = line.indexOf(character); at !== -1; at = line.indexOf(character, at + 1)) found++;
  return found;
}
