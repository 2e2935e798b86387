import { cellKey, type Cell } from './cell.ts';
import { settingsOf, type ContenderName, type Setting } from './contenders.ts';
import { cellsOf, peerCell, type Bar, type Peer } from './goals.ts';

/** What takes a turn: one contender in one setting, on cells with the same number of ranks. */
export interface Turn {
  readonly contender: ContenderName;
  /** Undefined for what runs in this process. */
  readonly setting: Setting | undefined;
  readonly cells: readonly Cell[];
}

/** Turns that follow one another in every pass, so that what is compared is measured within seconds. */
export interface Group {
  readonly name: string;
  readonly turns: readonly Turn[];
}

const SMALL = 256 << 10;
const LARGE = 64 << 20;

/** The settings in which a peer takes part on `cell`; one without a setting has the name ''. */
function settingsFor(peer: Peer, cell: Cell): readonly (Setting | undefined)[] {
  if (peer.contender === 'ours' || peer.contender === 'plainJs') return [undefined];
  return settingsOf[peer.contender].filter(
    ({ name, covers }) => (peer.settings?.includes(name) ?? true) && (covers?.(cell) ?? true),
  );
}

/** Their names, as samples have them. */
export function settingNames(peer: Peer, cell: Cell): readonly string[] {
  return settingsFor(peer, cell).map((setting) => setting?.name ?? '');
}

/** Everything that the bars need, once. */
export function planOf(bars: readonly Bar[], sizes: readonly number[]): readonly Group[] {
  const groups = new Map<string, Map<string, Turn>>();
  const want = (group: string, contender: ContenderName, setting: Setting | undefined, cell: Cell): void => {
    const turns = groups.get(group) ?? new Map<string, Turn>();
    groups.set(group, turns);
    const name = `${contender}/${setting?.name ?? ''}/${cell.ranks}`;
    const cells = turns.get(name)?.cells ?? [];
    if (cells.some((one) => cellKey(one) === cellKey(cell))) return;
    turns.set(name, { contender, setting, cells: [...cells, cell] });
  };
  for (const bar of bars)
    for (const cell of cellsOf(bar, sizes)) {
      const group = groupOf(cell);
      want(group, 'ours', undefined, cell);
      for (const peer of bar.peers) {
        const beside = peerCell(peer, cell);
        for (const setting of settingsFor(peer, beside)) want(group, peer.contender, setting, beside);
      }
    }
  return [...groups].map(([name, turns]): Group => ({ name, turns: [...turns.values()] }));
}

/** Large buffers have turns of their own: a unit is to be short beside the time in which a machine changes. */
function groupOf({ what, ranks, bytes }: Cell): string {
  if (bytes === 0) return 'synchronisation';
  const band = bytes <= SMALL ? 'to 256 KiB' : bytes <= LARGE ? 'to 64 MiB' : 'memory';
  return `${what}, ${ranks} ranks, ${band}`;
}
