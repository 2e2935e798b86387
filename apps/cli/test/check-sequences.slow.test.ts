import './check-sequences.test.ts';
