import { cellKey, type BenchCell } from './cell.ts';
import { settingsOf, type ContenderName, type Setting } from './contenders.ts';
import { cellsOf, peerCell, type Bar, type Peer } from './goals.ts';

/** A turn: one contender in one setting, on cells with the same number of ranks. */
export interface BenchTurn {
  readonly contender: ContenderName;
  /** `undefined` for contenders that run in this process. */
  readonly setting: Setting | undefined;
  readonly cells: readonly BenchCell[];
}

/**
 * Turns that are compared with each other. They run in direct succession: ours first, and then the
 * peer's.
 */
export interface Unit {
  readonly turns: readonly BenchTurn[];
  /** Our cells that are compared with a peer's cell. */
  readonly beside: (peer: BenchCell) => readonly BenchCell[];
}

/** The units that run one after the other in every pass. */
export interface UnitGroup {
  readonly name: string;
  readonly units: readonly Unit[];
}

const SMALL = 256 << 10;
const LARGE = 64 << 20;

/**
 * The settings in which a peer takes part on `cell`. A peer without settings has one with the name
 * ''.
 */
function settingsFor(peer: Peer, cell: BenchCell): readonly (Setting | undefined)[] {
  if (peer.contender === 'ours' || peer.contender === 'plainJs') return [undefined];
  return settingsOf[peer.contender].filter(
    ({ name, covers }) => (peer.settings?.includes(name) ?? true) && (covers?.(cell) ?? true),
  );
}

/** Their names, as samples have them. */
export function settingNames(peer: Peer, cell: BenchCell): readonly string[] {
  return settingsFor(peer, cell).map((setting) => setting?.name ?? '');
}

/** Contenders that need a second before a round. */
const SLOW_TO_START: ReadonlySet<ContenderName> = new Set(['openMpi', 'mpich', 'gloo']);

interface Building {
  readonly ours: BenchCell[];
  /** By the key of the peer's cell. */
  readonly beside: Map<string, BenchCell[]>;
  readonly turns: Map<string, BenchTurn & { readonly cells: BenchCell[] }>;
}

/**
 * Plans everything that the bars need, once. Contenders that start fast are measured next to ours
 * cell by cell, with all settings within half a second. For the others, each setting has a unit for
 * all cells of a group.
 */
export function planOf(bars: readonly Bar[], sizes: readonly number[]): readonly UnitGroup[] {
  const groups = new Map<string, Map<string, Building>>();
  const unitOf = (cell: BenchCell, contender?: ContenderName, setting?: Setting): Building => {
    const units = entry(groups, groupOf(cell), () => new Map<string, Building>());
    const slow = contender !== undefined && SLOW_TO_START.has(contender);
    const name = slow ? `${contender}/${setting?.name ?? ''}` : cellKey(cell);
    return entry(units, name, () => ({ ours: [], beside: new Map(), turns: new Map() }));
  };
  for (const bar of bars)
    for (const cell of cellsOf(bar, sizes)) {
      if (bar.peers.length === 0) addOnce(unitOf(cell).ours, cell);
      for (const peer of bar.peers) {
        const beside = peerCell(peer, cell);
        for (const setting of settingsFor(peer, beside)) {
          const { contender } = peer;
          const place = unitOf(cell, contender, setting);
          addOnce(place.ours, cell);
          addOnce(
            entry(place.beside, cellKey(beside), () => []),
            cell,
          );
          const name = `${contender}/${setting?.name ?? ''}/${beside.ranks}`;
          addOnce(entry(place.turns, name, () => ({ contender, setting, cells: [] })).cells, beside);
        }
      }
    }
  return [...groups].map(([name, units]): UnitGroup => ({ name, units: [...units.values()].map(unit) }));
}

function unit({ ours, beside, turns }: Building): Unit {
  return {
    turns: [{ contender: 'ours', setting: undefined, cells: ours }, ...turns.values()],
    beside: (peer) => beside.get(cellKey(peer)) ?? [],
  };
}

function entry<Value>(of: Map<string, Value>, key: string, make: () => Value): Value {
  const known = of.get(key) ?? make();
  of.set(key, known);
  return known;
}

function addOnce(cells: BenchCell[], cell: BenchCell): void {
  if (!cells.some((one) => cellKey(one) === cellKey(cell))) cells.push(cell);
}

/**
 * Large buffers have separate turns, because a unit must be shorter than the changes of the
 * machine.
 */
function groupOf({ what, ranks, bytes }: BenchCell): string {
  if (bytes === 0) return 'synchronisation';
  const band = bytes <= SMALL ? 'to 256 KiB' : bytes <= LARGE ? 'to 64 MiB' : 'memory';
  return `${what}, ${ranks} ranks, ${band}`;
}
