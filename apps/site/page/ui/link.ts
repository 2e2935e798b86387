/** The most bytes of the text of a link, and the most characters of the link itself. */
const MOST_BYTES = 1_000_000;
const MOST_CHARACTERS = 500_000;

/** The contents of the fragment of an address. */
export type TextLink =
  | { readonly kind: 'none' }
  /** The reason why the page cannot show it, as a sentence. */
  | { readonly kind: 'problem'; readonly why: string }
  | { readonly kind: 'text'; readonly fields: ReadonlyMap<string, string>; readonly text: string };

/**
 * Returns a fragment with a text and the values of some fields. It comes after `#`, so no server
 * sees it.
 *
 * @throws RangeError if no page would read it, because it is too long.
 */
export async function fragmentOfText(text: string, fields: Readonly<Record<string, string>>): Promise<string> {
  const parts = Object.entries(fields).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const packed = await deflated(text);
  if (new Blob([text]).size > MOST_BYTES || packed.length > MOST_CHARACTERS) {
    throw new RangeError(`The text is too long for a link: more than ${MOST_BYTES / 1_000_000} MB.`);
  }
  return `#${['v1', ...parts, `c=${packed}`].join(';')}`;
}

/** Reads a fragment. It inflates no more than a megabyte. */
export async function readLink(fragment: string): Promise<TextLink> {
  const [version = '', ...parts] = fragment.replace(/^#/, '').split(';');
  if (version !== 'v1') {
    if (/^v\d+$/.test(version)) return problem(`This link is of another version of the site (${version}).`);
    // Anchors of the page have no such parts.
    return parts.length > 0 ? damaged : { kind: 'none' };
  }
  if (fragment.length > MOST_CHARACTERS) return tooLong;
  try {
    const fields = new Map(
      parts.map((part) => {
        const at = part.indexOf('=');
        return [part.slice(0, at), decodeURIComponent(part.slice(at + 1))] as const;
      }),
    );
    const packed = fields.get('c') ?? '';
    if (packed === '') return damaged;
    const text = await inflated(packed);
    return text === undefined ? tooLong : { kind: 'text', fields, text };
  } catch {
    return damaged;
  }
}

function problem(why: string): TextLink {
  return { kind: 'problem', why };
}

const damaged = problem('This link is damaged: a part of it is missing or changed.');
const tooLong = problem('This link holds more than a megabyte of text, which is too much for this page.');

async function deflated(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  let binary = '';
  for (const byte of new Uint8Array(await new Response(stream).arrayBuffer())) binary += String.fromCodePoint(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Returns `undefined` if the text is too long. */
async function inflated(packed: string): Promise<string | undefined> {
  const binary = atob(packed.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    length += value.length;
    if (length > MOST_BYTES) {
      await reader.cancel();
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}
