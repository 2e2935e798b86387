import './multicast-stores.test.ts';
