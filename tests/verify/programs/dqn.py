import math
import random
from collections import namedtuple

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.autograd import Variable

random.seed(41)
np.random.seed(41)
torch.manual_seed(41)
Transition = namedtuple('Transition', ('state', 'action', 'next_state', 'reward'))
GAMMA, BATCH_SIZE, EPS_START, EPS_END, EPS_DECAY, UPDATE = 0.9, 8, 0.9, 0.05, 30.0, 10


class ReplayMemory(object):
    def __init__(self, capacity):
        self.capacity = capacity
        self.memory = []
        self.position = 0

    def push(self, *args):
        if len(self.memory) < self.capacity:
            self.memory.append(None)
        self.memory[self.position] = Transition(*args)
        self.position = (self.position + 1) % self.capacity

    def sample(self, batch_size):
        return random.sample(self.memory, batch_size)

    def __len__(self):
        return len(self.memory)


class DQN(nn.Module):
    def __init__(self):
        super(DQN, self).__init__()
        self.fc1 = nn.Linear(2, 16)
        self.head = nn.Linear(16, 2)

    def forward(self, x):
        return self.head(F.relu(self.fc1(x)))


def move(state, action):
    position, speed = state[0].tolist()
    speed = 0.8 * speed + (0.3 if action else -0.3)
    position += speed
    done = abs(position) > 1.5
    reward = 1.0 if position > 1.5 else -abs(position)
    return None if done else torch.Tensor([[position, speed]]), reward, done


policy, target = DQN(), DQN()
target.load_state_dict(policy.state_dict())
target.eval()
optimizer = optim.RMSprop(policy.parameters(), lr=0.01)
memory = ReplayMemory(30)
steps_done = 0


def select_action(state):
    global steps_done
    eps_threshold = EPS_END + (EPS_START - EPS_END) * math.exp(-1. * steps_done / EPS_DECAY)
    steps_done += 1
    if random.random() > eps_threshold:
        return policy(Variable(state, volatile=True)).data.max(1)[1].view(1, 1)
    return torch.LongTensor([[random.randrange(2)]])


def optimize_model():
    batch = Transition(*zip(*memory.sample(BATCH_SIZE)))
    non_final_mask = torch.ByteTensor(tuple(map(lambda s: s is not None, batch.next_state))).bool()
    non_final_next_states = Variable(torch.cat([s for s in batch.next_state if s is not None]))
    state_batch = Variable(torch.cat(batch.state))
    action_batch = Variable(torch.cat(batch.action))
    reward_batch = Variable(torch.cat(batch.reward))
    state_action_values = policy(state_batch).gather(1, action_batch)
    next_state_values = Variable(torch.zeros(BATCH_SIZE))
    next_state_values[non_final_mask] = target(non_final_next_states).max(1)[0].detach()
    expected = (next_state_values * GAMMA) + reward_batch
    loss = F.smooth_l1_loss(state_action_values, expected.unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    for param in policy.parameters():
        param.grad.data.clamp_(-0.05, 0.05)
    optimizer.step()
    return loss.data


for i_episode in range(8):
    state = torch.Tensor([[np.random.uniform(-0.5, 0.5), 0.0]])
    total, losses = 0.0, []
    for t in range(12):
        action = select_action(state)
        next_state, reward, done = move(state, action[0, 0] == 1)
        memory.push(state, action, next_state, torch.Tensor([reward]))
        total += reward
        if len(memory) >= BATCH_SIZE:
            losses.append(optimize_model())
        if steps_done % UPDATE == 0:
            target.load_state_dict(policy.state_dict())
        if done:
            break
        state = next_state
    mean = torch.stack(losses).mean().item() if losses else 0.0
    print('episode', i_episode, 'steps', t, 'total', round(total, 4), 'loss', mean)
