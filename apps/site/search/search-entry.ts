/** A section of a page, as the site's build writes it into `assets/search.json`. */
export interface SearchEntry {
  /** Relative to the site, with the anchor of the section. */
  readonly url: string;
  readonly page: string;
  /** The same as `page` for the part before the first heading. */
  readonly heading: string;
  readonly kind: SearchKind;
  readonly text: string;
}

export type SearchKind = 'Page' | 'Document' | 'Museum' | 'Code' | 'Package' | 'API';
