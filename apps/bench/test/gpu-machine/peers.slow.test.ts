import './peers.test.ts';
