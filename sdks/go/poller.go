package verify

import (
	"sync"
	"time"
)

// polled is a document whose requests are due from time to time. All callers share one request.
type polled struct {
	clock clock
	// request sends a request, and sets when the next one is due. It requires the lock `requesting`.
	request func()
	// Held during a request.
	requesting sync.Mutex

	// Of what a request changes.
	mutex sync.RWMutex
	// When the next request is due, by the monotonic clock; `never` before the first request.
	due time.Duration
}

func (p *polled) nextDue() time.Duration {
	p.mutex.RLock()
	defer p.mutex.RUnlock()
	return p.due
}

func (p *polled) runDue() {
	p.requesting.Lock()
	defer p.requesting.Unlock()
	if p.nextDue() <= p.clock().steady {
		p.request()
	}
}

// poller sends the requests of one document when they are due, in a goroutine of its own.
type poller struct {
	part  *polled
	wakes chan struct{}

	mutex      sync.Mutex
	waitsUntil time.Duration
}

func newPoller(part *polled) *poller {
	return &poller{part: part, wakes: make(chan struct{}, 1), waitsUntil: never}
}

// wake is called after a caller may have sent a request, which changes when the next one is due.
func (p *poller) wake() {
	p.mutex.Lock()
	isEarlier := p.part.nextDue() < p.waitsUntil
	p.mutex.Unlock()
	if !isEarlier {
		return
	}
	select {
	case p.wakes <- struct{}{}:
	default:
	}
}

func (p *poller) run(closed <-chan struct{}) {
	for {
		due := p.part.nextDue()
		p.mutex.Lock()
		p.waitsUntil = due
		p.mutex.Unlock()
		wait := due - p.part.clock().steady
		if due == never {
			wait = time.Hour
		}
		timer := time.NewTimer(wait)
		select {
		case <-closed:
			timer.Stop()
			return
		case <-p.wakes:
			timer.Stop()
		case <-timer.C:
		}
		p.part.runDue()
	}
}
