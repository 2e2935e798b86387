import type { Kind } from '../kinds.ts';
import {
  addressOf,
  kept,
  loadedOf,
  piece,
  placeOf,
  scopeOf,
  spaceOf,
  valueOf,
  vectorOf,
  widthBytes,
  type Place,
  type PtxDraft,
  type Width,
} from './ptx-draft.ts';
import type { PieceLanes, PtxPiece } from './ptx-program.ts';

export interface AccessChoice {
  readonly place?: Place;
  readonly width?: Width;
  readonly offset?: number;
  readonly order?: string;
  readonly kinds?: readonly Kind[];
  readonly lanes?: PieceLanes;
}

/** The order of a load or store: mostly plain. */
function orderOf(draft: PtxDraft, strong: 'acquire' | 'release'): string {
  const { random } = draft;
  switch (random.weighted({ weak: 6, volatile: 1.5, relaxed: 1.5, strong: 0.7 })) {
    case 'weak':
      return random.chance(0.2) ? '.weak' : '';
    case 'volatile':
      return '.volatile';
    case 'relaxed':
      return `.relaxed.${scopeOf(draft)}`;
    case 'strong':
      return `.${strong}.${scopeOf(draft)}`;
  }
}

/** Most accesses have 4 bytes, at the start of the line. */
function widthOf({ random }: PtxDraft): Width {
  return random.weighted<Width>({
    u32: 10,
    u8: 1.3,
    u16: 1.6,
    u64: 1.6,
    'v2.u32': 1,
    'v4.u32': 1,
    'v2.u64': 0.5,
    'v2.u16': 0.3,
  });
}

function offsetOf({ random }: PtxDraft, width: Width): number {
  const bytes = widthBytes[width];
  return bytes >= 16 ? 0 : bytes * random.pick([0, 0, 0, 1, bytes < 4 ? 2 : 0]);
}

interface ChosenAccess {
  readonly place: Place;
  readonly width: Width;
  readonly address: string;
}

function chosen(
  draft: PtxDraft,
  { place = placeOf(draft), width = widthOf(draft), offset }: AccessChoice,
): ChosenAccess {
  return { place, width, address: addressOf(place, offset ?? offsetOf(draft, width)) };
}

export function store(draft: PtxDraft, choice: AccessChoice & { readonly value?: string | number } = {}): PtxPiece {
  const { place, width, address } = chosen(draft, choice);
  const order = choice.order ?? orderOf(draft, 'release');
  const value = choice.value ?? valueOf(draft);
  const text = `st${order}.${spaceOf(place)}.${width} ${address}, ${vectorOf(width, String(value))};`;
  return piece([text], choice.kinds, choice.lanes);
}

export function load(draft: PtxDraft, choice: AccessChoice = {}): PtxPiece {
  const { place, width, address } = chosen(draft, choice);
  const order = choice.order ?? orderOf(draft, 'acquire');
  const text = `ld${order}.${spaceOf(place)}.${width} ${loadedOf(width)}, ${address};`;
  return piece([text, ...(draft.random.chance(0.7) ? kept(width) : [])], choice.kinds, choice.lanes);
}

export function atomic(draft: PtxDraft, choice: AccessChoice = {}): PtxPiece {
  const { random } = draft;
  const width = choice.width ?? random.pick(['u32', 'u32', 'u32', 'u64']);
  const { place, address } = chosen(draft, { ...choice, width, offset: choice.offset ?? 0 });
  const bits = width === 'u64' ? 'b64' : 'b32';
  const order =
    choice.order ?? `.${random.pick(['relaxed', 'relaxed', 'acq_rel', 'release', 'acquire'])}.${scopeOf(draft)}`;
  const space = spaceOf(place);
  const value = valueOf(draft);
  const register = width === 'u64' ? '$d1' : '$r1';
  const keep = random.chance(0.6) ? kept(width) : [];
  const lines = ((): readonly string[] => {
    const isRed = order.includes('relaxed') || order.includes('release');
    switch (random.weighted({ add: 4, exch: 2, cas: 2, or: 1, max: 1, red: isRed ? 3 : 0 })) {
      case 'add':
        return [`atom${order}.${space}.add.${width} ${register}, ${address}, ${value};`, ...keep];
      case 'exch':
        return [`atom${order}.${space}.exch.${bits} ${register}, ${address}, ${value};`, ...keep];
      case 'cas':
        return [`atom${order}.${space}.cas.${bits} ${register}, ${address}, ${random.below(2)}, ${value};`, ...keep];
      case 'or':
        return [`atom${order}.${space}.or.${bits} ${register}, ${address}, ${value};`, ...keep];
      case 'max':
        return [`atom${order}.${space}.max.${width} ${register}, ${address}, ${value};`, ...keep];
      case 'red':
        return [`red${order}.${space}.add.${width} ${address}, ${value};`];
    }
  })();
  return piece(lines, choice.kinds, choice.lanes);
}

export function fence(draft: PtxDraft): PtxPiece {
  const { random } = draft;
  const kind = random.pick(['fence.acq_rel', 'fence.acq_rel', 'fence.sc', 'membar']);
  const scope = scopeOf(draft);
  if (kind !== 'membar') return piece([`${kind}.${scope};`]);
  return piece([`membar.${scope === 'gpu' ? 'gl' : scope};`]);
}

/** One access or fence of any kind. */
export function anyAccess(draft: PtxDraft, choice: AccessChoice = {}): PtxPiece {
  switch (draft.random.weighted({ store: 10, load: 10, atomic: 4, fence: 3 })) {
    case 'store':
      return store(draft, choice);
    case 'load':
      return load(draft, choice);
    case 'atomic':
      return atomic(draft, { ...choice, width: choice.width === 'u64' ? 'u64' : 'u32', offset: 0 });
    case 'fence':
      return fence(draft);
  }
}
