import './reduce-copy.test.ts';
