import { PLAIN, scopeWidth } from '../scope.ts';
import type { SiteTable } from './accesses.ts';
import type { WatchedSite } from './watched-site.ts';

/** The properties of source locations that the check of an access needs, as columns that grow. */
export class SiteColumns implements SiteTable {
  widths: Uint8Array = new Uint8Array(256);
  bytes: Uint8Array = new Uint8Array(256);
  multicast: Uint8Array = new Uint8Array(256);
  fabric: Uint8Array = new Uint8Array(256);
  mixes = false;
  #count = 0;

  /** Appends the source locations. */
  add(sites: readonly WatchedSite[]): void {
    const base = this.#count;
    this.#count += sites.length;
    while (this.widths.length < this.#count) {
      this.widths = wider(this.widths);
      this.bytes = wider(this.bytes);
      this.multicast = wider(this.multicast);
      this.fabric = wider(this.fabric);
    }
    sites.forEach(({ bytes, access, multicast = false, fabric = false }, i) => {
      this.widths[base + i] = access === undefined ? PLAIN : scopeWidth(access.scope);
      this.bytes[base + i] = bytes;
      this.multicast[base + i] = Number(multicast);
      this.fabric[base + i] = Number(fabric);
      this.mixes ||= multicast;
    });
  }
}

function wider(column: Uint8Array): Uint8Array {
  const twice = new Uint8Array(2 * column.length);
  twice.set(column);
  return twice;
}
