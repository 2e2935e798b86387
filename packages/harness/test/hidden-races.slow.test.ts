import './hidden-races.test.ts';
