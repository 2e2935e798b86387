import './provide-author-text.test.ts';
