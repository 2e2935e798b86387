/** The elements in documents that run programs. */
import './embed.ts';
import './exhibit.ts';
