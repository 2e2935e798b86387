import './stand-in-headers.test.ts';
