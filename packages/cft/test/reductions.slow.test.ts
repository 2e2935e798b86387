import './reductions.test.ts';
