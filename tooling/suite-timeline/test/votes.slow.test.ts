import './votes.test.ts';
