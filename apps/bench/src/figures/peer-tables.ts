import type { JsonValue } from './json-value.ts';
import { beside, row, rule, sizeText, typicalOf } from './table-text.ts';

/** The kernels that inference engines ship, by their contenders' names. */
const shipped: Readonly<Record<string, string>> = {
  lamport: 'FlashInfer',
  'lamport-early': 'FlashInfer',
  vllm: 'vLLM',
};

const PROTOTYPE = 'push';

/** AllReduce beside the best kernel that an engine ships, and beside a prototype in CUDA C++. */
export function besidePeers(results: JsonValue): readonly string[] {
  const rows = results.at('rows').list.filter((one) => one.at('program').text === 'all_reduce');
  const gpus = new Set(rows.map((one) => one.at('gpus').number));
  const hasPrototype = rows.some((one) => one.at('times').at(PROTOTYPE).present);
  const head = [`AllReduce, ${[...gpus].join(', ')} GPUs`, 'ours / best shipped'];
  return [
    row([...head, ...(hasPrototype ? ['ours / prototype'] : [])]),
    rule(head.length + (hasPrototype ? 1 : 0)),
    ...rows.map((one) => {
      const own = typicalOf(one, 'own');
      const peer = bestShipped(one);
      const cells = [
        sizeText(one.at('bytes').number),
        peer === undefined ? '' : `${beside(own, peer.us)} (${peer.name})`,
      ];
      if (!hasPrototype) return row(cells);
      return row([...cells, one.at('times').at(PROTOTYPE).present ? beside(own, typicalOf(one, PROTOTYPE)) : '']);
    }),
  ];
}

function bestShipped(one: JsonValue): { readonly name: string; readonly us: number } | undefined {
  const measured = Object.entries(shipped)
    .filter(([contender]) => one.at('times').at(contender).present)
    .map(([contender, name]) => ({ name, us: typicalOf(one, contender) }));
  return measured.toSorted((a, b) => a.us - b.us)[0];
}

/** AllReduce with RMSNorm in one launch, beside FlashInfer's and beside two launches. */
export function normBesidePeers(results: JsonValue): readonly string[] {
  const cells = results.at('cells').list;
  const hiddens = [...new Set(cells.map((one) => one.at('hidden').number))];
  const rowCounts = [...new Set(cells.map((one) => one.at('rows').number))];
  const columns = hiddens.flatMap((hidden) => [`${hidden}: ours / FlashInfer`, `${hidden}: ours / two launches`]);
  return [
    row(['rows', ...columns]),
    rule(1 + columns.length),
    ...rowCounts.map((rows) =>
      row([
        String(rows),
        ...hiddens.flatMap((hidden) => {
          const found = cells.find((one) => one.at('rows').number === rows && one.at('hidden').number === hidden);
          if (found === undefined) return ['', ''];
          const us = found.at('us');
          const peers = us.names.filter((name) => Object.hasOwn(shipped, name)).map((name) => us.at(name).number);
          const fused = us.at('fused').number;
          return [beside(fused, Math.min(...peers)), beside(fused, us.at('unfused').number)];
        }),
      ]),
    ),
  ];
}
