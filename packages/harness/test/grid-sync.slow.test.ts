import './grid-sync.test.ts';
