import type { MemoryOrder, MemoryProxy } from '@nccl-ts/core';

/** A fence of the fabric proxy, as producer, consumer and order. */
export type Half = readonly [MemoryProxy, MemoryProxy, MemoryOrder];
export type Way = 'by a thread' | 'by the fabric';

/** Two accesses to the same bytes of different ranks, with a flag and fences between. */
export interface FabricRow {
  readonly id: string;
  readonly first: Way;
  readonly then: Way;
  /** The fences of the thread that releases and of the thread that acquires. */
  readonly release: Half | undefined;
  readonly acquire: Half | undefined;
  /** True if a fence is missing. */
  readonly problem: boolean;
}

const proxyOf = { 'by a thread': 'generic', 'by the fabric': 'fabric' } as const;

export function fabricRows(): readonly FabricRow[] {
  const ways = [
    ['by a thread', 'by the fabric'],
    ['by the fabric', 'by a thread'],
    ['by the fabric', 'by the fabric'],
  ] as const;
  return ways.flatMap(([first, then], i): readonly FabricRow[] => {
    const [producer, consumer] = [proxyOf[first], proxyOf[then]];
    const release = [producer, consumer, 'release'] as const;
    const acquire = [producer, consumer, 'acquire'] as const;
    const [otherProducer, otherConsumer] = [
      first === then ? 'generic' : consumer,
      first === then ? 'fabric' : producer,
    ];
    const others = [
      [otherProducer, otherConsumer, 'release'],
      [otherProducer, otherConsumer, 'acquire'],
    ] as const;
    const row = (id: string, released: Half | undefined, acquired: Half | undefined, problem: boolean): FabricRow => ({
      id: `F${i + 1}${id}`,
      first,
      then,
      release: released,
      acquire: acquired,
      problem,
    });
    return [
      row('', release, acquire, false),
      row('a', undefined, acquire, true),
      row('b', release, undefined, true),
      row('c', others[0], acquire, true),
      row('d', release, others[1], true),
      row('e', [producer, consumer, 'acq_rel'], [producer, consumer, 'acq_rel'], false),
      row('f', ['generic', 'generic', 'release'], ['generic', 'generic', 'acquire'], true),
    ];
  });
}
