package main

import (
	"errors"
	"reflect"
	"time"

	"github.com/samuel/go-zookeeper/zk"
)

// holding is a Lock on a connection of its own: a Lock that waits or has
// failed releases its entry only when the connection is closed.
type holding struct {
	connection *zk.Conn
	lock       *zk.Lock
}

type silence struct{}

func (silence) Printf(string, ...interface{}) {}

func newHolding(servers []string, sessionTimeout time.Duration, path string) (*holding, error) {
	connection, events, err := zk.Connect(servers, sessionTimeout, zk.WithLogger(silence{}))
	if err != nil {
		return nil, err
	}
	limit := time.After(30 * time.Second)
	for connection.State() != zk.StateHasSession {
		select {
		case <-events:
		case <-limit:
			connection.Close()
			return nil, errors.New("no connection")
		}
	}
	lock := zk.NewLock(connection, path, zk.WorldACL(zk.PermAll))
	return &holding{connection: connection, lock: lock}, nil
}

// node returns the path of the entry, which Lock does not export.
func (h *holding) node() string {
	return reflect.ValueOf(h.lock).Elem().FieldByName("lockPath").String()
}

func (h *holding) close() {
	h.connection.Close()
}
