import { ncclNamesUrl, packagesUrl, type Document } from '../src/documents.ts';

interface SidebarItem {
  readonly text: string;
  readonly link?: string;
  readonly collapsed?: boolean;
  readonly items?: readonly SidebarItem[];
}

/** The tree of documents. Long sections are closed until one of their pages is open. */
export function sidebarOf(documents: readonly Document[]): readonly SidebarItem[] {
  const sections = [...new Set(documents.map(({ section }) => section))];
  return sections.map((section) => ({
    text: section,
    // A section that opens and closes needs a page of its own, or its title would be a button with another one in it.
    ...(section === 'Packages' ? { link: `/${packagesUrl}`, collapsed: true } : {}),
    ...(section === 'Museum' ? { link: '/docs/museum/', collapsed: true } : {}),
    items: [
      ...documents
        .filter((one) => one.section === section)
        .map(({ title, url, api }) => ({
          text: title,
          link: `/${url}`,
          ...(api === undefined ? {} : { items: [{ text: 'API', link: `/${api}` }] }),
        })),
      ...(section === 'Reference' ? [{ text: 'From NCCL to nccl-ts', link: `/${ncclNamesUrl}` }] : []),
    ],
  }));
}
