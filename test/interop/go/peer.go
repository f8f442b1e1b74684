// Uses go-zookeeper's locks, as commands on its standard input say:
//
//	go_peer SERVERS SESSION_TIMEOUT_IN_MS
//
//	ready                                  the client is connected
//
//	lock NAME PATH TIMEOUT_IN_MS           go-zookeeper's Lock, on a connection of its own
//	  NAME held NODE                       the path of its entry
//	  NAME timeout                         a Lock gives up by closing its connection
//	unlock NAME
//	  NAME released
//	work NAME PATH WORKERS TURNS FILE      counts in a file that only the lock protects
//	  NAME done                            FILE.order has the numbers of the entries that held it
//
// A command that fails is answered by "NAME failed REASON". Commands run side by side. The program
// ends when its standard input does.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

type peer struct {
	servers        []string
	sessionTimeout time.Duration

	mutex sync.Mutex
	held  map[string]*holding
}

func (p *peer) take(name, path string, timeout time.Duration) (string, error) {
	wanted, err := newHolding(p.servers, p.sessionTimeout, path)
	if err != nil {
		return "", err
	}
	result := make(chan error, 1)
	go func() { result <- wanted.lock.Lock() }()
	select {
	case err = <-result:
		if err != nil {
			wanted.close()
			return "", err
		}
	case <-time.After(timeout):
		wanted.close()
		return "timeout", nil
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.held[name] = wanted
	return "held " + wanted.node(), nil
}

func (p *peer) unlock(name string) (string, error) {
	p.mutex.Lock()
	found := p.held[name]
	delete(p.held, name)
	p.mutex.Unlock()
	if found == nil {
		return "", errors.New("nothing is held")
	}
	defer found.close()
	return "released", found.lock.Unlock()
}

func (p *peer) work(path string, workers, turns int, file string) (string, error) {
	results := make(chan error, workers)
	for i := 0; i < workers; i++ {
		go func() { results <- p.count(path, turns, file) }()
	}
	for i := 0; i < workers; i++ {
		if err := <-results; err != nil {
			return "", err
		}
	}
	return "done", nil
}

func (p *peer) count(path string, turns int, file string) error {
	worker, err := newHolding(p.servers, p.sessionTimeout, path)
	if err != nil {
		return err
	}
	defer worker.close()
	for i := 0; i < turns; i++ {
		if err := worker.lock.Lock(); err != nil {
			return err
		}
		if err := countOne(file, worker.node()); err != nil {
			return err
		}
		if err := worker.lock.Unlock(); err != nil {
			return err
		}
	}
	return nil
}

func countOne(file, node string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	number, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, []byte(strconv.Itoa(number+1)), 0o644); err != nil {
		return err
	}
	order, err := os.OpenFile(file+".order", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer order.Close()
	_, err = fmt.Fprintln(order, node[len(node)-10:])
	return err
}

func (p *peer) obey(words []string) (string, error) {
	arguments := strings.Join(append([]string{words[0]}, words[2:]...), " ")
	var path, file string
	var timeout, workers, turns int
	if n, _ := fmt.Sscanf(arguments, "lock %s %d", &path, &timeout); n == 2 {
		return p.take(words[1], path, time.Duration(timeout)*time.Millisecond)
	}
	if n, _ := fmt.Sscanf(arguments, "work %s %d %d %s", &path, &workers, &turns, &file); n == 4 {
		return p.work(path, workers, turns, file)
	}
	if arguments == "unlock" {
		return p.unlock(words[1])
	}
	return "", errors.New("unknown command " + arguments)
}

func main() {
	timeout, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	p := &peer{
		servers:        strings.Split(os.Args[1], ","),
		sessionTimeout: time.Duration(timeout) * time.Millisecond,
		held:           map[string]*holding{},
	}
	// The first connection proves that the servers answer.
	first, err := newHolding(p.servers, p.sessionTimeout, "/")
	if err != nil {
		panic(err)
	}
	first.close()
	say := make(chan string)
	go func() {
		for line := range say {
			fmt.Println(line)
		}
	}()
	say <- "ready"
	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		words := strings.Fields(input.Text())
		go func() {
			answer, err := p.obey(words)
			if err != nil {
				answer = "failed " + err.Error()
			}
			say <- words[1] + " " + answer
		}()
	}
}
